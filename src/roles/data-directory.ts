// The data directory: one SQLite file, blobs, spooled inputs. One process owns it, others read.
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
  /** Where stdin is kept until it was ingested. */
  inputs: string
  store: Store
  blobs: Blobs
}

export async function ownDataDirectory(dir: string, command: string): Promise<DataDirectory> {
  refuseMoved(resolve(dir))
  return ownInAnyCase(dir, command)
}

/** Also where its jobs went to a cluster, for whoever moves the rest. */
export async function ownInAnyCase(dir: string, command: string): Promise<DataDirectory> {
  await using opened = new AsyncDisposableStack()
  const path = resolve(dir)
  // Job specs hold headers and pages hold what cookies open: nobody else's business.
  mkdirSync(join(path, 'inputs'), { recursive: true, mode: 0o700 })
  makePrivate(path)
  opened.use(await lockDataDirectory(path, { pid: process.pid, command, startedAt: Date.now() }))
  return await finishOpening(opened, path)
}

/** One that was made by hand, or by an image, is often open to others. A group that a volume sets (setgid) is meant. */
function makePrivate(path: string): void {
  const { mode } = statSync(path)
  const isOpen = (mode & (mode & 0o2000 ? 0o007 : 0o077)) !== 0
  if (!isOpen) return
  const isOurs = readdirSync(path).every(name => ourNames.test(name))
  if (isOurs && hasClosed(path)) return
  process.emitWarning(
    `${path} holds jobs, pages and keys, and others can read it: run chmod 700 ${path}${isOurs ? '' : ', or choose a --data-dir of its own'}`,
  )
}

/** False for a directory of somebody else. */
function hasClosed(path: string): boolean {
  try {
    chmodSync(path, 0o700)
    return true
  } catch {
    return false
  }
}

/** What kscrape puts into a data directory. With anything else in it, the directory may be meant for others. */
const ourNames =
  /^(store\.sqlite.*|blobs|inputs|sessions|exports|uploads|browsers?|profiles|lock.*|owner\.json.*|seal\.key.*|upload-key.*|api-key|secrets\.env|moved\.json|import-id|restoring|lost\+found)$/

/** To look, and to leave requests for whoever owns it. */
export async function visitDataDirectory(dir: string): Promise<DataDirectory> {
  await using opened = new AsyncDisposableStack()
  const path = resolve(dir)
  if (!existsSync(join(path, 'store.sqlite')))
    throw new Failure(
      'job.unknown',
      `there are no jobs in ${path}; start one with \`kscrape crawl URL\`, or name another place with --data-dir`,
      { path },
    )
  return await finishOpening(opened, path)
}

/** For a short piece of work beside whoever owns it. One that is not there yet is made: what is kept in it may come before the first start. */
export async function withDataDirectory<Result>(
  dir: string,
  command: string,
  work: (data: DataDirectory) => Promise<Result>,
): Promise<Result> {
  const isThere = existsSync(join(dir, 'store.sqlite'))
  await using data = await (isThere ? visitDataDirectory(dir) : ownDataDirectory(dir, command))
  return await work(data)
}

/** What says that the jobs of a directory are a cluster's now. */
const movedNote = (path: string): string => join(path, 'moved.json')

export const noteMoved = (path: string, note: { to: string; at: string }): void =>
  writeFileSync(movedNote(path), `${JSON.stringify(note)}\n`, { mode: 0o600 })

/** Whoever went on here would do what the cluster does as well. */
function refuseMoved(path: string): void {
  if (!existsSync(movedNote(path))) return
  const { to, at } = JSON.parse(readFileSync(movedNote(path), 'utf8')) as { to: string; at: string }
  throw new Failure(
    'store.moved',
    `the jobs of ${path} were moved to ${to} on ${at}, and go on there: ask that service, choose another --data-dir, or remove ${movedNote(path)} to work here again`,
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
