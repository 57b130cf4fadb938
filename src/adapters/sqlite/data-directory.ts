// Only one process owns a data directory. The kernel releases the lock when the process ends, even after kill -9.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Failure } from '../../model/failures.ts'

/** How long to wait for the lock, in milliseconds. It is longer than the time for which `isOwned` holds its read lock. */
const lockWaitMs = 100

interface Owner {
  pid: number
  command: string
  startedAt: number
}

/** Locks the directory for this process, or throws `store.locked` with the owner. The lock is an exclusive transaction on an
 *  empty SQLite file, because Node has no other file lock. `owner.json` only names the owner and may be stale. */
export async function lockDataDirectory(directory: string, who: Owner): Promise<AsyncDisposable> {
  const ownerPath = join(directory, 'owner.json')
  makeDirectory(directory)
  await using held = new AsyncDisposableStack()
  const lock = takeLock(directory, ownerPath)
  held.defer(() => lock.close())
  writeOwner(ownerPath, who)
  held.defer(() => rmSync(ownerPath, { force: true }))
  return held.move()
}

/** Whether a live process owns the directory. The check holds a read lock, which delays a new owner for a moment at most. */
export function isOwned(directory: string): boolean {
  const path = join(directory, 'lock')
  if (!existsSync(path)) return false
  const database = openLock(path)
  try {
    database.prepare('SELECT count(*) FROM sqlite_master').get()
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw notLockable(path, error as Error)
  } finally {
    database.close()
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true })
  } catch (error) {
    throw notLockable(directory, error as Error)
  }
}

function takeLock(directory: string, ownerPath: string): DatabaseSync {
  const path = join(directory, 'lock')
  const database = openLock(path)
  try {
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if (isBusy(error)) throw locked(directory, readOwner(ownerPath))
    throw notLockable(path, error as Error)
  }
}

function openLock(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: lockWaitMs })
  } catch (error) {
    throw notLockable(path, error as Error)
  }
}

/** SQLITE_BUSY: another process has the lock. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === 5

const notLockable = (path: string, cause: Error): Failure =>
  new Failure(
    'storage.failed',
    `${path} cannot be locked (${cause.message}): it must be on a disk that this user may write to`,
    { path },
    { cause },
  )

function locked(directory: string, owner: Owner | null): Failure {
  const holder = owner
    ? `process ${owner.pid} (${owner.command}, since ${new Date(owner.startedAt).toISOString()})`
    : 'another process'
  const message = `${directory} is in use by ${holder}: wait for it, stop it, or choose another --data-dir; \`kscrape jobs list\`, \`show\`, \`pause\` and \`cancel\` work meanwhile`
  return new Failure('store.locked', message, { directory, ...owner })
}

/** The owner in the file; null if it cannot be read. */
function readOwner(ownerPath: string): Owner | null {
  try {
    return JSON.parse(readFileSync(ownerPath, 'utf8')) as Owner
  } catch {
    return null
  }
}

// The file is only used in messages, so a failed write is ignored.
function writeOwner(ownerPath: string, who: Owner): void {
  try {
    writeFileSync(`${ownerPath}.new`, JSON.stringify(who))
    renameSync(`${ownerPath}.new`, ownerPath)
  } catch {
    rmSync(ownerPath, { force: true })
  }
}
