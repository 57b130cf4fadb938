// Schedules kept by a service: looked at every second, so that one made elsewhere is noticed too.
import type { Settings } from '../config/settings.ts'
import { wallClock } from '../lib/clocks.ts'
import { asFailure } from '../model/failures.ts'
import { runDueSchedules } from '../pipeline/submit/run-schedules.ts'
import type { ServerParts } from '../server/parts.ts'
import { scheduleParts } from '../server/scheduled-jobs.ts'

const lookEveryMs = 1_000

/** As a duty of a service: until the signal. */
export async function runScheduleLoop(
  { settings, ...parts }: ServerParts & { settings: Settings },
  stopping: AbortSignal,
): Promise<void> {
  const { log } = parts
  const acting = scheduleParts({ parts, settings, forgetKeys: () => {} })
  while (!stopping.aborted) {
    const nextDue = await runDueSchedules(acting).catch(error =>
      log.error({ err: asFailure(error) }, 'schedules could not be looked at'),
    )
    const restMs = Math.min(lookEveryMs, (nextDue ?? Number.POSITIVE_INFINITY) - wallClock.now())
    await wallClock.sleep(Math.max(10, restMs), stopping).catch(() => {})
  }
}
