// Loops of a service besides running jobs, each until it is stopped.
import type { Settings } from '../config/settings.ts'
import { wallClock } from '../lib/clocks.ts'
import type { LogComponent } from '../lib/text/log-levels.ts'
import { asFailure } from '../model/failures.ts'
import { runDueSchedules } from '../pipeline/submit/run-schedules.ts'
import { dropStaleUploads } from '../pipeline/submit/uploads.ts'
import { notifyFirecrawlWebhooks } from '../server/api/firecrawl/notify.ts'
import { notifyChanges } from '../server/api/monitors/notify.ts'
import type { ServerParts } from '../server/parts.ts'
import { scheduleParts } from '../server/scheduled-jobs.ts'
import { feedOpenSearch } from './feed-opensearch.ts'
import { mirrorDynamoDb } from './mirror-dynamodb.ts'
import { sendWebhooks } from './send-webhooks.ts'

interface LoopParts extends ServerParts {
  settings: Settings
  /** Records per step of the search index and the interval of its steps, if another server does the work. */
  index?: {
    atOnce: number
    everyMs: number /** Rest until the next commit of this process, at most. */
    idleMs?: number
  }
}

/** Runs until the signal. It logs its own errors and retries. */
export type ServiceLoop = (parts: LoopParts, stopping: AbortSignal) => Promise<void>

/** The full-text index follows the records, in small steps and a tenth of the time at most while jobs run. */
const followRecords: ServiceLoop = async (
  { store, settings, clock, engine, log, index = ownIndex },
  stopping,
) => {
  if (!settings.search) return
  let news = new AbortController()
  const deaf = engine.listen(name => {
    if (name === 'group.committed') news.abort()
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
      await clock.sleep(index.idleMs, AbortSignal.any([stopping, news.signal])).catch(() => {})
    news = new AbortController()
  }
  deaf()
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

/** Deletes old webhook messages, whose bodies may be long. A few at a time, so that other writers do not wait. */
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

/** Its log lines are those of a component. */
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

/** As a duty of a service: until the signal. */
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
