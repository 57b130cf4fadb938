// The policy that a job runs by: its layers in order, within the operator's ceilings.
import { Failure } from '../../model/failures.ts'
import type { Face, GivenSpec, JobSpec } from '../../model/job.ts'
import { snake } from '../../model/letter-case.ts'
import type { PiiDefaults } from '../../model/personal-data.ts'
import { laidOver, leavesOf, withValue } from '../../model/policy/given-policy.ts'
import type { PolicyInput } from '../../model/policy/policy.ts'
import { beyondCeiling, type Ceilings } from '../../model/policy/policy-ceilings.ts'
import { layeredPolicy } from '../../model/policy/policy-layers.ts'

/** What the operator says about all jobs. */
export interface PolicyRules {
  /** What becomes of personal data where a job does not say. */
  pii?: PiiDefaults
  /** In place of the defaults. */
  defaults?: PolicyInput
  /** The same for jobs that come by one API, over `defaults`. */
  ofFace?: Partial<Record<Face, PolicyInput>>
  ceilings?: Ceilings
  /** Whoever asks may go beyond the ceilings, where they say so in as many words. */
  mayExceed?: boolean
}

/** The rules for a job that comes by this API. */
export function rulesFor(rules: PolicyRules = {}, face: Face = 'cli', mayExceed = false): PolicyRules {
  const { defaults = {}, ofFace = {} } = rules
  return { ...rules, defaults: laidOver(defaults, ofFace[face] ?? {}), mayExceed }
}

/** For everyone who reads the job: the job's own word over the scraper's over the operator's over the defaults. */
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

/** The ceilings of what was not asked for still hold. */
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
    `${path}: ${found.asked} is looser than ${found.bound}, which no job may exceed here (SCRAPER_CEILINGS); an admin key may`,
    { path, needs: 'admin' },
  )
}

/** A limit that could never be reached is a mistake. */
function refusePriceless({ limits, prices }: JobSpec['policy']): void {
  if (limits.money === undefined || prices.perGb > 0 || prices.perBrowserHour > 0) return
  throw new Failure(
    'input.invalid',
    'policy.limits.money: nothing has a price, so it would never be reached; set policy.prices.per_gb or per_browser_hour, or SCRAPER_PRICE_PER_GB',
    { path: 'policy.limits.money' },
  )
}
