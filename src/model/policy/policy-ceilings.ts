// The operator's ceilings: what a job can only tighten. Which way is tighter is one table.
import * as z from 'zod'
import { asGiven, leavesOf, valueAt, withValue } from './given-policy.ts'
import { type ExecutionPolicy, executionPolicy } from './policy.ts'

const { throttle, timeouts, retries, breaker, robots, host, maxBytes, maxRecordBytes } = executionPolicy.shape
const { blocks, limits, prices } = executionPolicy.shape

/** A part of the policy, of it only what is bounded. */
export const ceilings = asGiven(
  z.strictObject({
    ...{ throttle, timeouts, retries, breaker, robots, host, maxBytes, maxRecordBytes },
    ...{ blocks, limits, prices },
  }),
)
export type Ceilings = z.infer<typeof ceilings>

/** Values of which more is stricter; of all other numbers it is less. */
const moreIsStricter: ReadonlySet<string> = new Set([
  'retries.baseMs',
  'retries.factor',
  'retries.capMs',
  'breaker.cooldownMs',
  'prices.perGb',
  'prices.perBrowserHour',
])

/** Neither of them is stricter than another: a ceiling says exactly which. */
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

/** What of a policy as it was asked for is beyond a ceiling; null where nothing is. */
export function beyondCeiling(
  asked: object,
  bounds: Ceilings,
): { path: string; asked: unknown; bound: unknown } | null {
  const found = leavesOf(asked)
    .map(([path, value]) => ({ path, asked: value, bound: valueAt(bounds, path) }))
    .find(({ path, asked, bound }) => bound !== undefined && isLooser(path, asked, bound))
  return found ?? null
}

/** For a task: beyond the ceiling, and beyond what its job was allowed. */
export function isBeyond(path: string, value: unknown, job: ExecutionPolicy, bounds: Ceilings): boolean {
  const bound = valueAt(bounds, path)
  return bound !== undefined && isLooser(path, value, bound) && isLooser(path, value, valueAt(job, path))
}

function isLooser(path: string, value: unknown, bound: unknown): boolean {
  if (path === 'robots') return bound === 'obey' && value === 'ignore'
  // Without a word of the job's own, hosts are asked as their policies say.
  if (path.startsWith('host.') && value === undefined) return false
  if (words.has(path)) return value !== bound
  const [one, other] = [amount(path, value), amount(path, bound)]
  return moreIsStricter.has(path) ? one < other : one > other
}

/** No limit is more than any; a deadline of 0 is none. */
function amount(path: string, value: unknown): number {
  if (value === undefined || value === 'unlimited') return Number.POSITIVE_INFINITY
  return path === 'timeouts.taskMs' && value === 0 ? Number.POSITIVE_INFINITY : Number(value)
}
