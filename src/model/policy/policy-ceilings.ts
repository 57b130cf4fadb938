// The operator's ceilings: a job may be stricter, never looser. One table says for each field which direction is stricter.
import * as z from 'zod'
import { asGiven, leavesOf, valueAt, withValue } from './given-policy.ts'
import { type ExecutionPolicy, executionPolicy } from './policy.ts'

const { throttle, timeouts, retries, breaker, robots, host, maxBytes, maxRecordBytes } = executionPolicy.shape
const { blocks, limits, prices } = executionPolicy.shape

/** A policy with only the fields that can have a ceiling. */
export const ceilings = asGiven(
  z.strictObject({
    ...{ throttle, timeouts, retries, breaker, robots, host, maxBytes, maxRecordBytes },
    ...{ blocks, limits, prices },
  }),
)
export type Ceilings = z.infer<typeof ceilings>

/** Fields for which a larger value is stricter. For all other numbers, a smaller value is stricter. */
const moreIsStricter: ReadonlySet<string> = new Set([
  'retries.baseMs',
  'retries.factor',
  'retries.capMs',
  'breaker.cooldownMs',
  'prices.perGb',
  'prices.perBrowserHour',
])

/** Fields whose values have no order. A ceiling then allows exactly one value. */
const words: ReadonlySet<string> = new Set(['retries.strategy', 'retries.jitter'])

/** Replaces every value that is looser than its ceiling with the ceiling. Also returns the paths of the replaced values. */
export function tightened(
  policy: ExecutionPolicy,
  bounds: Ceilings,
): { policy: ExecutionPolicy; paths: string[] } {
  let cut = policy
  const paths: string[] = []
  for (const [path, bound] of leavesOf(bounds)) {
    if (!isLooser(path, valueAt(policy, path), bound)) continue
    cut = withValue(cut, path, bound)
    paths.push(path)
  }
  return { policy: cut, paths }
}

/** The first requested value that is looser than its ceiling; null if there is none. */
export function beyondCeiling(
  asked: object,
  bounds: Ceilings,
): { path: string; asked: unknown; bound: unknown } | null {
  const found = leavesOf(asked)
    .map(([path, value]) => ({ path, asked: value, bound: valueAt(bounds, path) }))
    .find(({ path, asked, bound }) => bound !== undefined && isLooser(path, asked, bound))
  return found ?? null
}

/** Whether a value of a task is looser than the ceiling and also looser than the value of its job. */
export function isBeyond(path: string, value: unknown, job: ExecutionPolicy, bounds: Ceilings): boolean {
  const bound = valueAt(bounds, path)
  return bound !== undefined && isLooser(path, value, bound) && isLooser(path, value, valueAt(job, path))
}

function isLooser(path: string, value: unknown, bound: unknown): boolean {
  if (path === 'robots') return bound === 'obey' && value === 'ignore'
  // If the job sets no value, the policy of each host applies. The operator wrote that policy, so it may exceed the ceiling.
  if (path.startsWith('host.') && value === undefined) return false
  if (words.has(path)) return value !== bound
  const [one, other] = [amount(path, value), amount(path, bound)]
  return moreIsStricter.has(path) ? one < other : one > other
}

/** The value as a comparable number. "No limit" counts as infinite. For `taskMs`, 0 means no limit. */
function amount(path: string, value: unknown): number {
  if (value === undefined || value === 'unlimited') return Number.POSITIVE_INFINITY
  return path === 'timeouts.taskMs' && value === 0 ? Number.POSITIVE_INFINITY : Number(value)
}
