// The data directory: one SQLite file, blobs, spooled inputs. One process owns it; other processes may read it.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openFileBlobs } from '../adapters/fs/blobs.ts'
import { isOwned, lockDataDirectory } from '../adapters/sqlite/data-directory.ts'
import { openSqliteStore } from '../adapters/sqlite/open.ts'
import { systemClock } from '../lib/clocks.ts'
import { Failure } from '../model/failures.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Store } from '../ports/store.ts'

export { isOwned }

export interface DataDirectory extends AsyncDisposable {
  path: string
  blobsRoot: string
  /** Folder for copies of stdin, which are stored until they are ingested. */
  inputs: string
  store: Store
  blobs: Blobs
}

export async function ownDataDirectory(dir: string, command: string): Promise<DataDirectory> {
  refuseMoved(resolve(dir))
  return ownInAnyCase(dir, command)
}

/** Opens the directory as its owner, even if its jobs were moved to a cluster. Used to move remaining data. */
export async function ownInAnyCase(dir: string, command: string): Promise<DataDirectory> {
  await using opened = new AsyncDisposableStack()
  const path = resolve(dir)
  // The directory is private, because job specs contain headers, and stored pages may be behind a login.
  mkdirSync(join(path, 'inputs'), { recursive: true, mode: 0o700 })
  makePrivate(path)
  opened.use(await lockDataDirectory(path, { pid: process.pid, command, startedAt: Date.now() }))
  return await finishOpening(opened, path)
}

/** Removes the access of other users, because directories made by hand or by a container image are often readable by all. If
 *  the directory has the setgid bit, its group keeps access. */
function makePrivate(path: string): void {
  const { mode } = statSync(path)
  const isOpen = (mode & (mode & 0o2000 ? 0o007 : 0o077)) !== 0
  if (!isOpen) return
  const isOurs = readdirSync(path).every(name => ourNames.test(name))
  if (isOurs && hasClosed(path)) return
  process.emitWarning(
    `${path} holds jobs, pages and keys, and other users can read it: run chmod 700 ${path}${isOurs ? '' : ', or choose another --data-dir'}`,
  )
}

/** Sets the mode to 700. False if the directory belongs to another user. */
function hasClosed(path: string): boolean {
  try {
    chmodSync(path, 0o700)
    return true
  } catch {
    return false
  }
}

/** Names of files that kscrape creates. If the directory has other files, other programs may use it, so its mode stays. */
const ourNames =
  /^(store\.sqlite.*|blobs|inputs|sessions|exports|uploads|browsers?|profiles|lock.*|owner\.json.*|seal\.key.*|upload-key.*|api-key|secrets\.env|moved\.json|import-id|restoring|lost\+found)$/

/** Opens the directory to read it, and to store control requests for the process that owns it. */
export async function visitDataDirectory(dir: string): Promise<DataDirectory> {
  await using opened = new AsyncDisposableStack()
  const path = resolve(dir)
  if (!existsSync(join(path, 'store.sqlite')))
    throw new Failure(
      'job.unknown',
      `there are no jobs in ${path}; start one with \`kscrape crawl URL\`, or choose another directory with --data-dir`,
      { path },
    )
  return await finishOpening(opened, path)
}

/** Opens the directory for a short operation, also while another process owns it. Creates it if missing, because keys may be
 *  created before the first start. */
export async function withDataDirectory<Result>(
  dir: string,
  command: string,
  work: (data: DataDirectory) => Promise<Result>,
): Promise<Result> {
  const isThere = existsSync(join(dir, 'store.sqlite'))
  await using data = await (isThere ? visitDataDirectory(dir) : ownDataDirectory(dir, command))
  return await work(data)
}

/** The path of the file that marks a directory whose jobs were moved to a cluster. */
const movedNote = (path: string): string => join(path, 'moved.json')

export const noteMoved = (path: string, note: { to: string; at: string }): void =>
  writeFileSync(movedNote(path), `${JSON.stringify(note)}\n`, { mode: 0o600 })

/** Refuses to run jobs that were moved, because this process would repeat the work of the cluster. */
function refuseMoved(path: string): void {
  if (!existsSync(movedNote(path))) return
  const { to, at } = JSON.parse(readFileSync(movedNote(path), 'utf8')) as { to: string; at: string }
  throw new Failure(
    'store.moved',
    `the jobs of ${path} were moved to ${to} on ${at} and continue there: use that service, choose another --data-dir, or remove ${movedNote(path)} to run them here again`,
    { path, to },
  )
}

async function finishOpening(opened: AsyncDisposableStack, path: string): Promise<DataDirectory> {
  const blobsRoot = join(path, 'blobs')
  const store = opened.use(await openSqliteStore({ path: join(path, 'store.sqlite'), clock: systemClock }))
  const blobs = opened.use(await openFileBlobs(blobsRoot))
  const owned = opened.move()
  return {
    path,
    blobsRoot,
    inputs: join(path, 'inputs'),
    store,
    blobs,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
