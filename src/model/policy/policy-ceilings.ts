// The operator's ceilings: a job can only be stricter. One table says which direction is stricter.
import * as z from 'zod'
import { asGiven, leavesOf, valueAt, withValue } from './given-policy.ts'
import { type ExecutionPolicy, executionPolicy } from './policy.ts'

const { throttle, timeouts, retries, breaker, robots, host, maxBytes, maxRecordBytes } = executionPolicy.shape
const { blocks, limits, prices } = executionPolicy.shape

/** A policy with only the bounded fields. */
export const ceilings = asGiven(
  z.strictObject({
    ...{ throttle, timeouts, retries, breaker, robots, host, maxBytes, maxRecordBytes },
    ...{ blocks, limits, prices },
  }),
)
export type Ceilings = z.infer<typeof ceilings>

/** For these, a larger value is stricter; for all other numbers a smaller one. */
const moreIsStricter: ReadonlySet<string> = new Set([
  'retries.baseMs',
  'retries.factor',
  'retries.capMs',
  'breaker.cooldownMs',
  'prices.perGb',
  'prices.perBrowserHour',
])

/** No value of these is stricter than another, so a ceiling fixes the value. */
const words: ReadonlySet<string> = new Set(['retries.strategy', 'retries.jitter'])

/** The policy with every value that is beyond a ceiling cut down to it, and the paths of those. */
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

/** The first requested value that exceeds a ceiling; null if none does. */
export function beyondCeiling(
  asked: object,
  bounds: Ceilings,
): { path: string; asked: unknown; bound: unknown } | null {
  const found = leavesOf(asked)
    .map(([path, value]) => ({ path, asked: value, bound: valueAt(bounds, path) }))
    .find(({ path, asked, bound }) => bound !== undefined && isLooser(path, asked, bound))
  return found ?? null
}

/** For a task: exceeds the ceiling and its job's policy. */
export function isBeyond(path: string, value: unknown, job: ExecutionPolicy, bounds: Ceilings): boolean {
  const bound = valueAt(bounds, path)
  return bound !== undefined && isLooser(path, value, bound) && isLooser(path, value, valueAt(job, path))
}

function isLooser(path: string, value: unknown, bound: unknown): boolean {
  if (path === 'robots') return bound === 'obey' && value === 'ignore'
  // Without a value of the job, the policies of hosts apply.
  if (path.startsWith('host.') && value === undefined) return false
  if (words.has(path)) return value !== bound
  const [one, other] = [amount(path, value), amount(path, bound)]
  return moreIsStricter.has(path) ? one < other : one > other
}

/** No limit is the largest value; a deadline of 0 means none. */
function amount(path: string, value: unknown): number {
  if (value === undefined || value === 'unlimited') return Number.POSITIVE_INFINITY
  return path === 'timeouts.taskMs' && value === 0 ? Number.POSITIVE_INFINITY : Number(value)
}
