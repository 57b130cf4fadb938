// Loops that a service runs beside its jobs, each until the stop signal.
import type { Settings } from '../../config/settings.ts'
import { wallClock } from '../../lib/clocks.ts'
import type { LogComponent } from '../../lib/text/log-levels.ts'
import { asFailure } from '../../model/failures.ts'
import { runDueSchedules } from '../../pipeline/submit/run-schedules.ts'
import { dropStaleUploads } from '../../pipeline/submit/uploads.ts'
import { notifyFirecrawlWebhooks } from '../../server/api/firecrawl/notify.ts'
import { notifyChanges } from '../../server/api/monitors/notify.ts'
import type { ServerParts } from '../../server/parts.ts'
import { scheduleParts } from '../../server/scheduled-jobs.ts'
import { feedOpenSearch } from './feed-opensearch.ts'
import { mirrorDynamoDb } from './mirror-dynamodb.ts'
import { sendWebhooks } from './send-webhooks.ts'

interface LoopParts extends ServerParts {
  settings: Settings
  /** Records per update of the search index, and time between updates. Set if the database runs on another server. */
  index?: {
    atOnce: number
    everyMs: number
    /** Longest additional pause while this process commits nothing. */
    idleMs?: number
  }
}

/** Runs until the signal is aborted. The loop logs its own errors and retries. */
export type ServiceLoop = (parts: LoopParts, stopping: AbortSignal) => Promise<void>

/** Adds new records to the full-text index, in small steps. While tasks are in flight, it uses at most a tenth of the time. */
const followRecords: ServiceLoop = async (
  { store, settings, clock, engine, log, index = ownIndex },
  stopping,
) => {
  if (!settings.search) return
  let changed = new AbortController()
  const unsubscribe = engine.listen(name => {
    if (name === 'group.committed') changed.abort()
  })
  while (!stopping.aborted) {
    const startedAt = clock.now()
    const behind = await store.search
      .advance(index.atOnce)
      .then(step => step.behind)
      .catch(error => void log.warn({ err: asFailure(error) }, 'the search index could not be written'))
    const tookMs = clock.now() - startedAt
    const restMs = behind ? (engine.workers.inFlight > 0 ? tookMs * 9 + 1 : 1) : index.everyMs
    await clock.sleep(restMs, stopping).catch(() => {})
    if (!behind && index.idleMs !== undefined)
      await clock.sleep(index.idleMs, AbortSignal.any([stopping, changed.signal])).catch(() => {})
    changed = new AbortController()
  }
  unsubscribe()
}

const ownIndex = { atOnce: 50, everyMs: 500, idleMs: 10_000 }

/** Deletes uploads that were never completed, and files without an upload. */
const deleteExpiredUploads: ServiceLoop = async ({ store, blobs, clock, settings, log }, stopping) => {
  const { maxUploadBytes } = settings
  while (!stopping.aborted) {
    await dropStaleUploads({ store, blobs, clock, maxUploadBytes }).catch(error =>
      log.warn({ err: asFailure(error) }, 'expired uploads could not be deleted'),
    )
    await clock.sleep(cleanUpEveryMs, stopping).catch(() => {})
  }
}

const cleanUpEveryMs = 600_000

/** Deletes old webhook messages, whose bodies may be long. Deletes a few at a time, so that other writers do not wait. */
const deleteExpiredWebhooks: ServiceLoop = async ({ store, clock, settings, log }, stopping) => {
  if (settings.webhookRetention === 0) return
  while (!stopping.aborted) {
    const forgotten = await store.retention
      .forgetWebhooks(clock.now() - settings.webhookRetention, { limit: forgottenAtOnce })
      .catch(error => void log.warn({ err: asFailure(error) }, 'expired webhooks could not be deleted'))
    await clock.sleep(forgotten === forgottenAtOnce ? 1_000 : cleanUpEveryMs, stopping).catch(() => {})
  }
}

const forgottenAtOnce = 200

/** Runs a loop with the logger of a component. */
const as =
  (component: LogComponent, loop: ServiceLoop): ServiceLoop =>
  (parts, stopping) =>
    loop({ ...parts, log: parts.log.child({ component }) }, stopping)

export const serviceLoops: readonly ServiceLoop[] = [
  as('search', followRecords),
  as('jobs', deleteExpiredUploads),
  as('deliver', deleteExpiredWebhooks),
  as('schedules', runScheduleLoop),
  as('deliver', notifyFirecrawlWebhooks),
  as('deliver', notifyChanges),
  as('deliver', sendWebhooks),
  as('deliver', feedOpenSearch),
  as('deliver', mirrorDynamoDb),
]

const lookEveryMs = 1_000

/** A service loop; runs until the signal is aborted. */
async function runScheduleLoop(
  { settings, ...parts }: ServerParts & { settings: Settings },
  stopping: AbortSignal,
): Promise<void> {
  const { log } = parts
  const acting = scheduleParts({ parts, settings, forgetKeys: () => {} })
  while (!stopping.aborted) {
    const nextDue = await runDueSchedules(acting).catch(error =>
      log.error({ err: asFailure(error) }, 'schedules could not be checked'),
    )
    const restMs = Math.min(lookEveryMs, (nextDue ?? Number.POSITIVE_INFINITY) - wallClock.now())
    await wallClock.sleep(Math.max(10, restMs), stopping).catch(() => {})
  }
}
