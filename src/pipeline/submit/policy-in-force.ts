// Computes the effective policy of a job from its layers, within the operator's ceilings.
import { Failure } from '../../model/failures.ts'
import type { Face, GivenSpec, JobSpec } from '../../model/job.ts'
import { snake } from '../../model/letter-case.ts'
import type { PiiDefaults } from '../../model/personal-data.ts'
import { laidOver, leavesOf, withValue } from '../../model/policy/given-policy.ts'
import type { PolicyInput } from '../../model/policy/policy.ts'
import { beyondCeiling, type Ceilings } from '../../model/policy/policy-ceilings.ts'
import { layeredPolicy } from '../../model/policy/policy-layers.ts'

/** The operator's rules for all jobs. */
export interface PolicyRules {
  /** What happens to personal data if a job does not set `pii`. */
  pii?: PiiDefaults
  /** The operator's values, which replace the built-in defaults. */
  defaults?: PolicyInput
  /** Values for jobs of one API. They win over `defaults`. */
  ofFace?: Partial<Record<Face, PolicyInput>>
  ceilings?: Ceilings
  /** Whether the caller may exceed the ceilings with explicit values. */
  mayExceed?: boolean
}

/** The rules for a job from this API. */
export function rulesFor(rules: PolicyRules = {}, face: Face = 'cli', mayExceed = false): PolicyRules {
  const { defaults = {}, ofFace = {} } = rules
  return { ...rules, defaults: laidOver(defaults, ofFace[face] ?? {}), mayExceed }
}

/** The effective policy: the job's values first, then the scraper's, the operator's and the defaults. */
export function inForce(given: GivenSpec, scrapers: PolicyInput = {}, rules: PolicyRules = {}): JobSpec {
  const { defaults = {}, mayExceed = false, ceilings = {} } = rules
  if (!mayExceed) refuseBeyond(given, ceilings)
  const layered = layeredPolicy(
    [
      { from: 'settings', policy: defaults },
      { from: 'scraper', policy: scrapers },
      { from: 'job', policy: given.policy },
    ],
    mayExceed ? unasked(ceilings, given.policy) : ceilings,
  )
  refusePriceless(layered.policy)
  return { ...given, ...layered }
}

/** The ceilings of the fields that the job does not set. They apply even if the caller may exceed ceilings. */
function unasked(ceilings: Ceilings, asked: PolicyInput): Ceilings {
  const paths = new Set(leavesOf(asked).map(([path]) => path))
  return leavesOf(ceilings)
    .filter(([path]) => !paths.has(path))
    .reduce<Ceilings>((kept, [path, bound]) => withValue(kept, path, bound), {})
}

function refuseBeyond({ policy, items = [] }: GivenSpec, ceilings: Ceilings): void {
  refuse('policy', policy, ceilings)
  for (const [index, item] of items.entries())
    if (item.policy) refuse(`items[${index}].policy`, item.policy, ceilings)
}

export function refuse(place: string, asked: object, ceilings: Ceilings): void {
  const found = beyondCeiling(asked, ceilings)
  if (!found) return
  const path = `${place}.${found.path.split('.').map(snake).join('.')}`
  throw new Failure(
    'policy.above-ceiling',
    `${path}: ${found.asked} exceeds the operator's ceiling of ${found.bound} (SCRAPER_CEILINGS); only an admin key may exceed it`,
    { path, needs: 'admin' },
  )
}

/** Throws if the job limits money but nothing has a price, because the limit could never be reached. */
function refusePriceless({ limits, prices }: JobSpec['policy']): void {
  if (limits.money === undefined || prices.perGb > 0 || prices.perBrowserHour > 0) return
  throw new Failure(
    'input.invalid',
    'policy.limits.money: nothing has a price, so the limit would never be reached; set policy.prices.per_gb or per_browser_hour, or SCRAPER_PRICE_PER_GB',
    { path: 'policy.limits.money' },
  )
}
