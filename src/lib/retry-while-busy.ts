// Repeats work while the store is busy or down. Without this, the process would return its queue message, and the
// message would count as lost.
import { asFailure } from '../model/failures.ts'
import type { Clock } from '../ports/clock.ts'

const restMs = 500

/** Throws every other failure. Throws the failure of a busy store too when `stop` is aborted. */
export async function retryWhileBusy<Result>(
  clock: Clock,
  stop: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;)
    try {
      return await work()
    } catch (error) {
      if (asFailure(error).code !== 'store.busy' || stop?.aborted) throw error
      await clock.sleep(restMs, stop).catch(() => {})
    }
}
