// Changes the limits of a job. A job that stopped at a limit continues.
import { limitReached, spentOf } from '../../dispatch/job-budget.ts'
import { Failure } from '../../model/failures.ts'
import { hasEnded, type Job, type JobCounts } from '../../model/job.ts'
import { type LimitName, type Limits, limitNames, limits as limitsSchema } from '../../model/policy/policy.ts'
import type { Store } from '../../ports/store.ts'
import { type PolicyRules, refuse } from './policy-in-force.ts'

/** New limits by name. Null removes a limit; limits that are not named stay. */
type LimitChange = Partial<Record<LimitName, number | null | undefined>>

/** Changes the limits and returns the changed job. The change is durable when the promise resolves. The caller then
 *  resumes the job, so that the process that runs it reads the new limits. */
export async function raiseLimits(
  store: Store,
  jobId: string,
  change: LimitChange,
  rules: PolicyRules,
): Promise<Job> {
  const job = await store.jobs.get(jobId)
  if (!job) throw new Failure('job.unknown', `there is no job "${jobId}"`, { jobId })
  if (hasEnded(job.state))
    throw new Failure('job.wrong-state', `job ${jobId} has ended (${job.state}); its limits cannot change`, {
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

/** The limits in the form that the ceiling check expects. A removed limit counts as `unlimited`. */
function withoutBounds(limits: Limits, { ceilings }: PolicyRules): Record<string, unknown> {
  const bounded = limitNames.filter(name => ceilings?.limits?.[name] !== undefined)
  return Object.fromEntries(bounded.map(name => [name, limits[name] ?? 'unlimited']))
}

/** Refuses limits that the job has already reached, because it would stop again at once. */
function refuseUseless(job: Job, limits: Limits, counts: JobCounts): void {
  const prices = job.spec.policy.prices ?? { perGb: 0, perBrowserHour: 0 }
  const reached = limitReached(limits, prices, counts)
  if (reached === null) return
  const spent = spentOf(counts, prices)
  const lines = limitNames.filter(name => limits[name] !== undefined).map(name => `${name} ${spent[name]}`)
  throw new Failure(
    'input.invalid',
    `job ${job.id} would stop again at once (${reached}): it has used ${lines.join(', ')}; set higher limits`,
    { path: 'limits' },
  )
}

/** Whether to resume the job after its limits were raised. True for a job that stopped at a limit, and for a running job,
 *  so that it reads the new limits. */
export const goesOnWithMore = ({ state, reason }: Job): boolean =>
  state === 'running' || (state === 'paused' && reason?.startsWith('limit.') === true)
