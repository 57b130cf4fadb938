// Erases the data of a host in the configured store. If the host is also excluded, ends its tasks first.
import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../lib/clocks.ts'
import { type ErasedSessions, type ErasureParts, erasedHost, eraseHost } from '../../maintain/erase-host.ts'
import { erasedFilesIn } from '../../maintain/erased-files.ts'
import type { ErasureReceipt } from '../../model/api/operations.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { Sealer } from '../../ports/secrets.ts'
import { operatorsListing } from '../../server/api/do-not-crawl/listings.ts'
import type { ErasureOptions } from '../../server/parts.ts'
import { openBlobSessions } from '../cluster/task-services/blob-sessions.ts'
import { clusterSealer } from '../cluster/task-services/shared-keys.ts'
import { type DataDirectory, ownDataDirectory } from '../data-directory.ts'
import { openSessions } from '../sessions.ts'
import { openPlace } from './retention-at.ts'

interface ErasurePlace {
  data: DataDirectory
  /** The sealer of a cluster, where sessions are sealed blobs in the bucket; null for a data directory. */
  sealer: Sealer | null
  /** Makes the new entry of the do-not-crawl list effective now. In a cluster it does nothing, because the sweeps of
   *  the leaders do that. */
  refresh: () => Promise<void>
}

/** Tasks in flight usually end within this time. If one is still in flight after it, the erasure fails. */
const mostWaitMs = 120_000
const lookEveryMs = 250

export async function eraseIn(place: ErasurePlace, options: ErasureOptions): Promise<ErasureReceipt> {
  if (options.neverAgain && !options.dryRun) await excludeHost(place, options)
  return await eraseHost(partsOf(place), options)
}

const partsOf = ({ data, sealer }: ErasurePlace): ErasureParts => ({
  ...{ store: data.store, blobs: data.blobs, files: erasedFilesIn(data), now: systemClock.now() },
  sessions: sessionsOf(data, sealer),
})

/** The sessions from which cookies of the host are erased. A job that uses a session now may store its cookies again. */
const sessionsOf = (data: DataDirectory, sealer: Sealer | null): ErasedSessions =>
  sealer === null
    ? openSessions(data.path)
    : openBlobSessions({ blobs: data.blobs, sealer, underLock: (_name, work) => work() })

/** Excludes the host. When this resolves, no process sends requests to it. */
async function excludeHost({ data, refresh }: ErasurePlace, options: ErasureOptions): Promise<void> {
  const { store } = data
  const listing = {
    pattern: options.host,
    list: 'deny' as const,
    reason: options.reason ?? 'its data was erased',
  }
  await store.conduct.enterListing(operatorsListing(listing, { by: options.by, at: systemClock.now() }))
  await refresh()
  const host = erasedHost(options.host)
  const deadline = systemClock.now() + mostWaitMs
  for (;;) {
    const open = (await store.erasure.jobsOf(host)).filter(job => job.open > 0)
    if (open.length === 0) return
    for (const { jobId } of open) if (await isPaused(data, jobId)) await endWaiting(data, jobId, host.fits)
    if (systemClock.now() > deadline) throw stillOpen(options.host, open)
    await systemClock.sleep(lookEveryMs)
  }
}

/** The coordinator of a running job ends the tasks. A paused job may have no coordinator, so this process ends its tasks. */
const isPaused = async ({ store }: DataDirectory, jobId: string): Promise<boolean> =>
  (await store.jobs.get(jobId))?.state === 'paused'

async function endWaiting(
  { store }: DataDirectory,
  jobId: string,
  fits: (host: string) => boolean,
): Promise<void> {
  for (const { host } of await store.hosts.ofJob(jobId, Number.MAX_SAFE_INTEGER))
    if (fits(host)) await store.tasks.endPending(jobId, 'skipped', 'host.denied', { host })
}

const stillOpen = (host: string, open: ReadonlyArray<{ jobId: string }>): Failure =>
  new Failure(
    'job.wrong-state',
    `${host} is on the do-not-crawl list now, but its tasks are still in flight in ${open.map(({ jobId }) => jobId).join(', ')}: erase again when they have ended`,
    { host },
  )

/** Erases from the command line: in a data directory without an owner, or in a cluster. */
export async function eraseAt(settings: Settings, options: ErasureOptions): Promise<ErasureReceipt> {
  await using opened = new AsyncDisposableStack()
  const isCluster = settings.databaseUrl !== undefined
  const place = await openPlace(opened, settings)
  const data = isCluster ? place : opened.use(await ownAlone(place.path, options.host))
  const refresh = isCluster ? async () => {} : () => endEverywhere(data, options.host)
  return await eraseIn({ data, sealer: isCluster ? clusterSealer(settings) : null, refresh }, options)
}

/** Opens the directory as its only owner. Another process on the directory would store erased data again. */
async function ownAlone(path: string, host: string): Promise<DataDirectory> {
  try {
    return await ownDataDirectory(path, `erase ${host}`)
  } catch (error) {
    const { code, message, details } = asFailure(error)
    if (code !== 'store.locked') throw error
    throw new Failure(code, `${message}; use --server to erase through the service that runs on it`, details)
  }
}

/** Ends all tasks of the host. No process runs jobs on this directory, so none of its tasks is in flight. */
async function endEverywhere(data: DataDirectory, pattern: string): Promise<void> {
  const { store } = data
  await store.tasks.reclaim({ now: systemClock.now(), exceptOwner: '', poisonAfter: Number.MAX_SAFE_INTEGER })
  const host = erasedHost(pattern)
  for (const { jobId, open } of await store.erasure.jobsOf(host))
    if (open > 0) await endWaiting(data, jobId, host.fits)
}
