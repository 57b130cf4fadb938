// Restores a backup into a data directory. Everything is verified before anything is changed.
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { onFile } from '../../adapters/fs/failures.ts'
import { syncDirectory } from '../../adapters/fs/keys.ts'
import { checkStoreCopy, moveStorePaths } from '../../adapters/sqlite/backup.ts'
import { lockDataDirectory } from '../../adapters/sqlite/data-directory.ts'
import { openSqliteStore } from '../../adapters/sqlite/open.ts'
import { systemClock } from '../../lib/clocks.ts'
import type { ReadEntry } from '../../lib/tar.ts'
import { Failure } from '../../model/failures.ts'
import { type BackupNote, ofAProcess, readBundle, storeName } from './bundle.ts'

export interface Restored {
  file: string
  dataDir: string
  createdAt: string
  files: number
  bytes: number
  /** Unfinished jobs. They continue when they are resumed, or when a service starts. */
  unended: string[]
}

interface RestoreOptions {
  /** Whether existing content of the data directory may be deleted. */
  force: boolean
  tell: (progress: { done: number; file: string }) => void
}

/** The folder for restored files until all of them are complete and verified. */
const stage = 'restoring'

export async function restoreBackup(
  file: string,
  dataDir: string,
  options: RestoreOptions,
): Promise<Restored> {
  const root = resolve(dataDir)
  return onFile(root, async () => {
    await mkdir(root, { recursive: true, mode: 0o700 })
    await using _lock = await lockDataDirectory(root, {
      ...{ pid: process.pid, command: `restore ${file}`, startedAt: Date.now() },
    })
    const there = (await readdir(root)).filter(name => !ofAProcess.includes(name) && name !== stage)
    if (there.length > 0 && !options.force) throw notEmpty(root, there)
    const staged = join(root, stage)
    await rm(staged, { recursive: true, force: true })
    try {
      const { note, files } = await unpack(file, staged, options.tell)
      const unended = await madeFit(join(staged, storeName), note, root)
      await replace(root, staged, there)
      const bytes = files.reduce((sum, each) => sum + each.bytes, 0)
      return { file, dataDir: root, createdAt: note.createdAt, files: files.length, bytes, unended }
    } finally {
      await rm(staged, { recursive: true, force: true })
    }
  })
}

const notEmpty = (root: string, there: string[]): Failure =>
  new Failure(
    'input.invalid',
    `${root} is not empty (${there.slice(0, 3).join(', ')}${there.length > 3 ? ', …' : ''}): restore to another --data-dir, or add --force, which deletes its content`,
    { path: root },
  )

function unpack(file: string, staged: string, tell: RestoreOptions['tell']) {
  let done = 0
  return readBundle(file, async entry => {
    await keep(entry, staged, file)
    done += entry.bytes
    tell({ done, file: entry.path })
  })
}

async function keep({ path, content }: ReadEntry, staged: string, file: string): Promise<void> {
  const target = resolve(staged, path)
  if (!target.startsWith(staged + sep))
    throw new Failure('input.invalid', `${file} has an entry outside of the data directory: ${path}`, {
      file,
      path,
    })
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  // Only the owner may read the files, because they contain specs and pages. The files are flushed to disk, because the user may
  // delete the backup.
  await pipeline(content, createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }))
}

/** Migrates the restored store to this version of kscrape, and changes its paths to the new directory. Returns the unfinished
 *  jobs. */
async function madeFit(path: string, note: BackupNote, root: string): Promise<string[]> {
  checkStoreCopy(path)
  await using store = await openSqliteStore({ path, clock: systemClock })
  if (note.dataDir !== root) moveStorePaths(path, note.dataDir, root)
  return (await store.jobs.unended()).map(({ id }) => id)
}

/** Replaces the content of the data directory. The store is removed last and moved in last, so that an interrupted restore never looks
 *  like a valid directory. */
async function replace(root: string, staged: string, there: string[]): Promise<void> {
  const storeLast = (names: string[]) => names.toSorted((a, b) => rank(a) - rank(b))
  for (const name of storeLast(there)) await rm(join(root, name), { recursive: true, force: true })
  for (const name of storeLast(await readdir(staged))) await rename(join(staged, name), join(root, name))
  await syncDirectory(root)
}

const rank = (name: string): number => Number(name.startsWith(storeName))
