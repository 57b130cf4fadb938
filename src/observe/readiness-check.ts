// Runs one readiness check. The result is `ok` or a problem, and is always available within a time limit.
import { asFailure } from '../model/failures.ts'
import type { Clock } from '../ports/clock.ts'

/** The timeout of a check, because a probe must not hang. A check that takes longer has failed. */
const longestCheckMs = 5_000

/** `look` returns the problem, or null if there is none. If `look` does not return in time, the problem is `late`. */
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
