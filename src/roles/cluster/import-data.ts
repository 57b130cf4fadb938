// Moves an embedded data directory into the cluster that the settings name. Unfinished jobs continue in the cluster.
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSealer } from '../../adapters/fs/sealer.ts'
import { openPostgresTransfer } from '../../adapters/postgres/transfer.ts'
import { openSqliteTransfer } from '../../adapters/sqlite/transfer.ts'
import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../lib/clocks.ts'
import { Failure } from '../../model/failures.ts'
import { poisonAfter } from '../../model/task.ts'
import type { MoveParts } from '../../pipeline/keep/move-parts.ts'
import { type Moved, moveStore } from '../../pipeline/keep/move-store.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Sealer } from '../../ports/secrets.ts'
import { type DataDirectory, noteMoved, ownInAnyCase } from '../data-directory.ts'
import { armFaultPoint } from '../fault-point.ts'
import { openSessions } from '../sessions.ts'
import { goesOnByItself } from '../unfinished-jobs.ts'
import { needed, openBlobs, openStore } from './services.ts'
import { openBlobSessions } from './task-services/blob-sessions.ts'
import { clusterSealer } from './task-services/shared-keys.ts'

type ImportTalk = Pick<MoveParts, 'tell' | 'complain'>

/** Idempotent: a second call copies only the missing data. */
export async function importData(settings: Settings, dir: string, talk: ImportTalk): Promise<Moved> {
  const place = placeOf(needed(settings, 'databaseUrl'))
  if (!existsSync(join(dir, 'store.sqlite')))
    throw new Failure('input.invalid', `${dir} is not a data directory: it has no store.sqlite`, { dir })
  await using opened = new AsyncDisposableStack()
  const data = opened.use(await ownInAnyCase(dir, 'jobs import'))
  const { store, blobs, path } = data
  // Requeue leased tasks. This process owns the directory, so no other process can run them.
  await store.tasks.reclaim({ now: systemClock.now(), exceptOwner: '', poisonAfter })
  const to = {
    store: opened.use(await openStore(settings)),
    blobs: opened.use(await openBlobs(settings)),
    target: opened.use(await openPostgresTransfer(needed(settings, 'databaseUrl'))),
    sealer: clusterSealer(settings),
  }
  const moved = await moveStore({
    ...talk,
    origin: originOf(path),
    from: { store, blobs, sealer: openSealer(path), source: opened.use(await sourceOf(data)) },
    to,
    goesOn: goesOnByItself,
    now: () => systemClock.now(),
    mark: armFaultPoint(settings.killPoint),
  })
  await moveSessions(path, to.blobs, to.sealer)
  warnOfUnmovedFiles(path, talk)
  if (moved.refused.length === 0) noteMoved(path, { to: place, at: new Date().toISOString() })
  return moved
}

/** Copies the sessions. If the cluster already has a session with the same name, that session stays unchanged. */
async function moveSessions(path: string, blobs: Blobs, sealer: Sealer): Promise<void> {
  const there = openBlobSessions({ blobs, sealer, underLock: (_name, work) => work() })
  for (const { name, state } of await openSessions(path).list())
    if ((await there.load(name)) === null) await there.save(name, state)
}

const sourceOf = ({ path }: DataDirectory) => openSqliteTransfer(join(path, 'store.sqlite'))

/** The id of the data directory. It is stored in the directory, so that the directory is recognized under another path. */
function originOf(path: string): string {
  const file = join(path, 'import-id')
  if (!existsSync(file)) writeFileSync(file, randomUUID(), { mode: 0o600 })
  return readFileSync(file, 'utf8')
}

/** The address of the database without user and password. */
function placeOf(databaseUrl: string): string {
  const { protocol, host, pathname } = new URL(databaseUrl)
  return `${protocol}//${host}${pathname}`
}

const moves = ['store.sqlite', 'store.sqlite-wal', 'store.sqlite-shm', 'blobs', 'inputs', 'sessions']
const ofThisProcess = [
  'lock',
  'lock-journal',
  'owner.json',
  'seal.key',
  'upload-key',
  'import-id',
  'moved.json',
]

/** Warns about files that are not moved: outputs of jobs, and files that people put there. */
function warnOfUnmovedFiles(path: string, { complain }: ImportTalk): void {
  const known = new Set([...moves, ...ofThisProcess])
  for (const name of readdirSync(path)) if (!known.has(name)) complain(`${join(path, name)} was not moved`)
}
