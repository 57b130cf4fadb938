// Repeats work while the store is busy or down. Otherwise the process would return its queue message, which counts as
// lost after a few returns.
import { asFailure } from '../model/failures.ts'
import type { Clock } from '../ports/clock.ts'

const restMs = 500

/** Throws every other failure at once. When `stop` is aborted, also throws the failure of the busy store. */
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
