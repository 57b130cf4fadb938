// What a service does beside running jobs, each until it is told to stop.
import type { Settings } from '../config/settings.ts'
import { asFailure } from '../model/failures.ts'
import type { ServerParts } from '../server/parts.ts'

export interface DutyParts extends ServerParts {
  settings: Settings
}

/** Goes on until the signal; what goes wrong is its own to say and to try again. */
export type Duty = (parts: DutyParts, stopping: AbortSignal) => Promise<void>

/** The full-text index follows the records, in small steps and a tenth of the time at most while jobs run. */
const followRecords: Duty = async ({ store, settings, clock, engine, log }, stopping) => {
  if (!settings.search) return
  while (!stopping.aborted) {
    const startedAt = clock.now()
    const behind = await store.search
      .advance(recordsAtOnce)
      .then(step => step.behind)
      .catch(error => void log.warn({ err: asFailure(error) }, 'the search index could not be written'))
    const tookMs = clock.now() - startedAt
    const restMs = behind ? (engine.workers.inFlight > 0 ? tookMs * 9 + 1 : 1) : lookEveryMs
    await clock.sleep(restMs, stopping).catch(() => {})
  }
}

const recordsAtOnce = 50
const lookEveryMs = 500

export const duties: readonly Duty[] = [followRecords]
