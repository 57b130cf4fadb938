// One readiness check: `ok` or a problem, always within a time limit.
import { asFailure } from '../model/failures.ts'
import type { Clock } from '../ports/clock.ts'

/** A probe must not hang: a check without a result in time counts as failed. */
const longestCheckMs = 5_000

/** `look` returns the problem or null; `late` is the message on timeout. */
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
