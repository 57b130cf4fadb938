// One process owns a data directory. The lock is the kernel's: it cannot outlive its holder, kill -9 included.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from '../../model/failures.ts'
import { asStoreFailure } from './failures.ts'

export interface Owner {
  pid: number
  command: string
  startedAt: number
}

/**
 * Takes the directory for this process, or throws `store.locked` with who has it. What locks is an exclusive transaction on an
 * empty SQLite file, the one file lock that Node offers; `owner.json` beside it only says whose it is, and may be stale.
 */
export async function lockDataDirectory(directory: string, who: Owner): Promise<AsyncDisposable> {
  const ownerPath = join(directory, 'owner.json')
  mkdirSync(directory, { recursive: true })
  const lock = takeLock(directory, ownerPath)
  writeOwner(ownerPath, who)
  return {
    async [Symbol.asyncDispose]() {
      rmSync(ownerPath, { force: true })
      lock.close()
    },
  }
}

function takeLock(directory: string, ownerPath: string): DatabaseSync {
  const path = join(directory, 'lock')
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    const failure = asStoreFailure(error, path)
    throw failure instanceof Failure && failure.code === 'store.busy'
      ? locked(directory, readOwner(ownerPath))
      : failure
  }
}

function locked(directory: string, owner: Owner | null): Failure {
  const holder = owner
    ? `process ${owner.pid} (${owner.command}, since ${new Date(owner.startedAt).toISOString()})`
    : 'another process'
  const message = `${directory} is in use by ${holder}: wait for it, stop it, or choose another --data-dir; \`kscrape jobs list\`, \`show\`, \`pause\` and \`cancel\` work meanwhile`
  return new Failure('store.locked', message, { directory, ...owner })
}

/** Who holds the directory, as far as it can be read; null when nobody says so. */
export function readOwner(ownerPath: string): Owner | null {
  try {
    return JSON.parse(readFileSync(ownerPath, 'utf8')) as Owner
  } catch {
    return null
  }
}

function writeOwner(ownerPath: string, who: Owner): void {
  const temporary = `${ownerPath}.new`
  writeFileSync(temporary, JSON.stringify(who))
  renameSync(temporary, ownerPath)
}
