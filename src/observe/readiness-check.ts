// One thing that a process needs to be ready: `ok`, or what is wrong with it, and always in time.
import { asFailure } from '../model/failures.ts'
import type { Clock } from '../ports/clock.ts'

/** Whoever probes waits for nothing that hangs: what is not known in time counts as trouble. */
const longestCheckMs = 5_000

/** `look` says what is wrong, or null; `late` is said of it when it says nothing. */
export async function readinessCheck(
  clock: Clock,
  late: string,
  look: () => Promise<string | null>,
): Promise<string> {
  const known = new AbortController()
  const tooLong = clock.sleep(longestCheckMs, known.signal).then(
    () => `${late} within ${longestCheckMs / 1_000} s`,
    () => null,
  )
  const trouble = look().catch(error => asFailure(error).code)
  return (await Promise.race([trouble, tooLong]).finally(() => known.abort())) ?? 'ok'
}
