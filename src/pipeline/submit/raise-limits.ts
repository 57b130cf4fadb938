// Giving a job more, or less: its limits are said anew, and one that had stopped for want of them goes on.
import { limitReached, spentOf } from '../../dispatch/job-budget.ts'
import { Failure } from '../../model/failures.ts'
import { hasEnded, type Job, type JobCounts } from '../../model/job.ts'
import { type LimitName, type Limits, limitNames, limits as limitsSchema } from '../../model/policy/policy.ts'
import type { Store } from '../../ports/store.ts'
import { type PolicyRules, refuse } from './policy-in-force.ts'

/** By name; null lifts a limit, what is not named stays. */
type LimitChange = Partial<Record<LimitName, number | null | undefined>>

/** Durable when it resolves; whoever has the job in hand is told by a resume. Answers with the job as it is now. */
export async function raiseLimits(
  store: Store,
  jobId: string,
  change: LimitChange,
  rules: PolicyRules,
): Promise<Job> {
  const job = await store.jobs.get(jobId)
  if (!job) throw new Failure('job.unknown', `there is no job "${jobId}"`, { jobId })
  if (hasEnded(job.state))
    throw new Failure('job.wrong-state', `job ${jobId} has ended (${job.state}): there is nothing to spend`, {
      jobId,
      state: job.state,
    })
  const limits = limitsSchema.parse(changed(job.spec.policy.limits ?? {}, change))
  if (!rules.mayExceed) refuse('policy', { limits: withoutBounds(limits, rules) }, rules.ceilings ?? {})
  refuseUseless(job, limits, await store.jobs.counts(jobId))
  const policyFrom = { ...job.spec.policyFrom }
  for (const name of Object.keys(change)) policyFrom[`limits.${name}`] = 'job'
  const spec = { ...job.spec, policy: { ...job.spec.policy, limits }, policyFrom }
  await store.jobs.revise(jobId, spec)
  return { ...job, spec }
}

function changed(before: Limits, change: LimitChange): Limits {
  const names = limitNames.filter(name => change[name] !== undefined)
  const kept = Object.entries(before).filter(([name]) => !names.includes(name as LimitName))
  const said = names.flatMap(name => (change[name] === null ? [] : [[name, change[name]]]))
  return Object.fromEntries([...kept, ...said])
}

/** Where the operator has a ceiling, no limit is beyond it. */
function withoutBounds(limits: Limits, { ceilings }: PolicyRules): Record<string, unknown> {
  const bounded = limitNames.filter(name => ceilings?.limits?.[name] !== undefined)
  return Object.fromEntries(bounded.map(name => [name, limits[name] ?? 'unlimited']))
}

/** A job that would stop again at once is told so now. */
function refuseUseless(job: Job, limits: Limits, counts: JobCounts): void {
  const prices = job.spec.policy.prices ?? { perGb: 0, perBrowserHour: 0 }
  const reached = limitReached(limits, prices, counts)
  if (reached === null) return
  const spent = spentOf(counts, prices)
  const lines = limitNames.filter(name => limits[name] !== undefined).map(name => `${name} ${spent[name]}`)
  throw new Failure(
    'input.invalid',
    `job ${job.id} would stop again at once (${reached}): it has spent ${lines.join(', ')}; give it more than that`,
    { path: 'limits' },
  )
}

/** Whether it stands still for want of what it was just given, or runs and has to hear of it. */
export const goesOnWithMore = ({ state, reason }: Job): boolean =>
  state === 'running' || (state === 'paused' && reason?.startsWith('limit.') === true)
