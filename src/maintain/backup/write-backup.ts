// Backs up a data directory into one file while its owner keeps running.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import { onFile } from '../../adapters/fs/failures.ts'
import { syncDirectory, temporaryPath } from '../../adapters/fs/keys.ts'
import { copyStore } from '../../adapters/sqlite/backup.ts'
import { isTemporary } from '../../lib/blob-keys.ts'
import { tarEnd, tarHead, tarRest } from '../../lib/tar.ts'
import { version } from '../../lib/user-agent.ts'
import { Failure } from '../../model/failures.ts'
import {
  type BackupNote,
  bundleVersion,
  checksumsName,
  checksumsText,
  noteName,
  noteText,
  ofAProcess,
  readBundle,
  storeName,
} from './bundle.ts'

interface BackupTalk {
  /** Reports progress: in bytes for files, in database pages for the store. */
  tell: (progress: { piece: 'store' | 'files' | 'check'; done: number; total: number }) => void
  /** Reports a file that is not in the backup, and why. */
  complain: (text: string) => void
}

interface BackedUp {
  file: string
  files: number
  bytes: number
  /** Files that were deleted during the backup. */
  gone: number
}

interface Listed {
  path: string
  bytes: number
}

/** Writes a backup. `target` is a folder, or a file that ends in .tar, .tar.gz or .tgz. */
export async function writeBackup(
  dataDir: string,
  target: string,
  options: { force: boolean },
  talk: BackupTalk,
): Promise<BackedUp> {
  const root = resolve(dataDir)
  const file = fileOf(resolve(target))
  refuseInside(root, file)
  if (existsSync(file) && !options.force)
    throw new Failure('input.invalid', `${file} exists; name another file, or add --force`, { file })
  return onFile(file, async () => {
    await mkdir(dirname(file), { recursive: true })
    await using work = new AsyncDisposableStack()
    const copy = leftOver(work, temporaryPath(`${file}.store`))
    const half = leftOver(work, temporaryPath(file))
    // Copy the store before the files. Every page that this copy refers to was already on disk, so the backup is complete.
    const pages = (done: number, total: number) => talk.tell({ piece: 'store', done, total })
    await copyStore(join(root, storeName), copy, pages)
    const done = await writeBundle({ root, copy, talk }, half)
    await checkAgain(half, done.bytes, talk)
    await rename(half, file)
    await syncDirectory(dirname(file))
    return { file, ...done, bytes: (await stat(file)).size }
  })
}

function fileOf(target: string): string {
  if (/\.(tar|tar\.gz|tgz)$/.test(target)) return target
  const at = new Date().toISOString().replace(/\.\d+/, '').replaceAll(':', '-')
  return join(target, `kscrape-backup-${at}.tar`)
}

function refuseInside(root: string, file: string): void {
  if (!`${dirname(file)}${sep}`.startsWith(`${root}${sep}`)) return
  throw new Failure(
    'input.invalid',
    `${file} is inside the data directory; choose a path outside ${root}, on another disk if there is one`,
    { file },
  )
}

function leftOver(work: AsyncDisposableStack, path: string): string {
  work.defer(() => rm(path, { force: true }))
  return path
}

interface Work {
  root: string
  copy: string
  talk: BackupTalk
}

async function writeBundle(
  work: Work,
  half: string,
): Promise<{ files: number; bytes: number; gone: number }> {
  const listed = await Array.fromAsync(filesBelow(work.root, work.talk))
  const done = { files: 0, bytes: 0, gone: 0 }
  const bytes = entries(work, listed, done)
  const isPacked = /\.t?gz\./.test(basename(half))
  await using handle = await open(half, 'wx', 0o600)
  for await (const chunk of isPacked ? packed(bytes) : bytes) await handle.writeFile(chunk)
  await handle.sync()
  return done
}

/** Compresses the backup, with the fastest level, because most files are already compressed. */
const packed = (bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer> =>
  pipeline(Readable.from(bytes), createGzip({ level: constants.Z_BEST_SPEED }), () => {})

async function* entries(
  { root, copy, talk }: Work,
  listed: Listed[],
  done: { files: number; bytes: number; gone: number },
): AsyncGenerator<Buffer> {
  const sums = new Map<string, string>()
  const total = listed.reduce((sum, { bytes }) => sum + bytes, (await stat(copy)).size)
  yield* wholeEntry(noteName, noteText(noteOn(root)))
  for (const { path, bytes } of [{ path: storeName, bytes: Number.POSITIVE_INFINITY }, ...listed]) {
    await using handle = await openIfThere(path === storeName ? copy : join(root, path))
    if (handle === null) {
      done.gone += 1
      continue
    }
    done.files += 1
    for await (const piece of fileEntry(handle, { path, bytes }, sums)) {
      done.bytes += piece.length
      talk.tell({ piece: 'files', done: Math.min(done.bytes, total), total })
      yield piece
    }
  }
  yield* wholeEntry(checksumsName, checksumsText(sums))
  yield tarEnd()
}

const noteOn = (dataDir: string): BackupNote => ({
  ...{ format: 'kscrape-backup', version: bundleVersion, kscrape: version },
  ...{ createdAt: new Date().toISOString(), dataDir },
})

function* wholeEntry(path: string, text: string): Generator<Buffer> {
  const content = Buffer.from(text)
  yield tarHead({ path, bytes: content.length, modifiedAt: Date.now() })
  yield content
  yield tarRest(content.length)
}

/** The tar entry of a file. If the file grows during the copy, only its length at the start is copied. If the file is replaced,
 *  the old file is copied. */
async function* fileEntry(
  handle: FileHandle,
  { path, bytes }: Listed,
  sums: Map<string, string>,
): AsyncGenerator<Buffer> {
  const { size, mtimeMs } = await handle.stat()
  const length = Math.min(size, bytes)
  const hash = createHash('sha256')
  yield tarHead({ path, bytes: length, modifiedAt: mtimeMs })
  let read = 0
  if (length > 0)
    for await (const piece of handle.createReadStream({ autoClose: false, start: 0, end: length - 1 })) {
      hash.update(piece as Buffer)
      read += (piece as Buffer).length
      yield piece as Buffer
    }
  if (read < length)
    throw new Failure('storage.failed', `${path} became shorter while it was read; make the backup again`, {
      path,
    })
  yield tarRest(length)
  sums.set(path, hash.digest('hex'))
}

const openIfThere = (path: string): Promise<FileHandle | null> =>
  open(path, 'r').catch(error => {
    if (error.code === 'ENOENT') return null
    throw error
  })

const skipped = new Set([...ofAProcess, ...['', '-wal', '-shm', '-journal'].map(end => storeName + end)])

async function* filesBelow(root: string, { complain }: BackupTalk, folder = root): AsyncGenerator<Listed> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const full = join(folder, entry.name)
    const path = relative(root, full)
    if (skipped.has(path) || isTemporary(entry.name) || /\.(lock|\d+\.new)$/.test(entry.name)) continue
    if (entry.isDirectory()) yield* filesBelow(root, { complain, tell: () => {} }, full)
    else if (entry.isFile()) yield* sizeOf(full, path)
    else complain(`${full} is neither a file nor a folder, and is not in the backup`)
  }
}

async function* sizeOf(full: string, path: string): AsyncGenerator<Listed> {
  const found = await stat(full).catch(() => null)
  if (found) yield { path: path.split(sep).join('/'), bytes: found.size }
}

/** Verifies the backup by reading it again. */
async function checkAgain(half: string, total: number, { tell }: BackupTalk): Promise<void> {
  let done = 0
  await readBundle(half, async ({ bytes }) => {
    done += bytes
    tell({ piece: 'check', done: Math.min(done, total), total })
  })
}
