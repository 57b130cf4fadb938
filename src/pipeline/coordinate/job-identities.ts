// The identities of a job's tasks. The dispatcher chooses them with the slots, each outcome updates their health, and the sweep
// checks unhealthy proxies.
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { JobIdentities } from '../../fetch/proxies/job-identities.ts'
import { type JobProxies, jobProxies, noProxies } from '../../fetch/proxies/job-proxies.ts'
import { ProxySet } from '../../fetch/proxies/proxy-set.ts'
import type { AnswerFacts } from '../../model/cluster-messages.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { TimedTask } from '../../model/lane.ts'
import { identityPolicy, type ProxyPolicy, proxyPolicy } from '../../model/policy/proxy.ts'
import { consentsOfTask } from '../submit/conduct-notes.ts'
import { layersOf, type OverridesContext } from '../work/task-overrides.ts'
import type { CoordinatorContext } from './context.ts'
import { IdentitiesByPolicy, type ProxyIdentityPolicy } from './identities-by-policy.ts'
import type { InFlightTask } from './in-flight.ts'
import type { ProxyPool, ProxyUse } from './proxy-pool.ts'
import type { RunningJob } from './running-job.ts'

/** Dependencies for choosing the identities of a job. */
type IdentityContext = OverridesContext &
  Pick<CoordinatorContext, 'store' | 'clock' | 'random' | 'emit' | 'proxies'>

/** Dependencies for checking unhealthy proxies. */
type ProxyCheckContext = Pick<CoordinatorContext, 'proxies' | 'jobs' | 'clock'>

/** The reason of a job that is paused because none of its proxies is healthy. */
export const noHealthyProxy = 'no-healthy-proxy'

export function identitiesFor(context: IdentityContext, running: RunningJob): IdentitiesByPolicy {
  const { policy } = running.job.spec
  return new IdentitiesByPolicy({
    // Jobs that were stored by an older version do not have these fields.
    policy: {
      proxy: policy.proxy ?? proxyPolicy.parse({}),
      identity: policy.identity ?? identityPolicy.parse({}),
    },
    open: who => openIdentities(context, running, who),
    policyOf: host => context.hosts.policyOf(host),
    otherwise: (host, who) => void noteOtherwise(context, running, host, who).catch(() => {}),
    policyAt: (host, own) => layersOf(context, running, host, own).policy,
  })
}

/** The operator's policy of a domain may need consents, such as browser headers. They are added to the job's conduct notes. */
async function noteOtherwise(
  { store, clock }: Pick<CoordinatorContext, 'store' | 'clock'>,
  { job }: RunningJob,
  host: string,
  who: ProxyIdentityPolicy,
): Promise<void> {
  const before = new Set((await store.conduct.notes(job.id)).map(({ what, value }) => `${what} ${value}`))
  const own = new Set(consentsOfTask(job.spec.policy, '').map(({ what, value }) => `${what} ${value}`))
  const consents = consentsOfTask(who, '')
    .filter(({ what, value }) => !own.has(`${what} ${value}`))
    .map(({ what, value }) => ({ what, value: `${value} at ${host}`, who: 'operator', at: clock.now() }))
    .filter(({ what, value }) => !before.has(`${what} ${value}`))
  if (consents.length > 0) await store.conduct.note(job.id, consents)
}

/** Whether all work of the job waits for a healthy proxy. */
export const waitsForProxy = (
  { dispatcher }: Pick<CoordinatorContext, 'dispatcher'>,
  { id, identities }: RunningJob,
): boolean => identities?.isStuck(() => dispatcher.hostNamesOf(id)) ?? false

/** Creates the identities for a policy. Null if there is nothing to choose, because the policy has one identity, no
 *  proxy and one fetch mode. */
function openIdentities(
  context: IdentityContext,
  { job, render, isAwaited }: RunningJob,
  { proxy, identity }: ProxyIdentityPolicy,
): JobIdentities | null {
  const { session } = job.spec
  const { endpoints, areShared, warnings } = proxiesFor(context, proxy)
  for (const message of warnings) context.emit('notice.given', { jobId: job.id, message })
  const isOne = endpoints === null && identity.count === undefined
  if (isOne && render !== 'auto') return null
  const shared = areShared ? (context.proxies?.proxySet ?? null) : null
  return new JobIdentities({
    ...{ proxy, identity },
    isOther: job.spec.policy.proxy !== undefined && !isDeepStrictEqual(proxy, job.spec.policy.proxy),
    proxySet: endpoints && (shared ?? new ProxySet(endpoints, context.random)),
    session: session ?? (isOne ? job.id : null),
    tellsAtOnce: job.face === 'scrape' && isAwaited,
    newId: () => randomBytes(6).toString('hex'),
  })
}

/** The proxies for a policy. A domain policy may require a proxy that does not exist. Then no request goes to that domain, not
 *  even directly. (For the job's own policy, submission refuses this case.) */
function proxiesFor({ proxies }: Pick<CoordinatorContext, 'proxies'>, policy: ProxyPolicy): JobProxies {
  try {
    return jobProxies(proxies?.operator ?? noProxies, policy)
  } catch (error) {
    return { endpoints: [], areShared: false, warnings: [asFailure(error).message] }
  }
}

/** Updates the health of the identity and proxy of an ended request; call it once per request. Returns whether the proxy caused
 *  the failure, so that the host is not blamed. */
export function learnFromResponse(
  context: Pick<CoordinatorContext, 'jobs' | 'clock'>,
  { task }: InFlightTask,
  { identity, failure, startedAt }: AnswerFacts,
): boolean {
  const identities = identity && context.jobs.get(task.jobId)?.identities?.of(task)
  if (!identities) return false
  const { cookies } = identity
  const facts = { failure, startedAt, ...(cookies !== undefined && { cookies }) }
  const blamesProxy = identities.learn(identity, task.host, facts, context.clock.now(), targetOf(task.url))
  if (failure?.code === 'render.needed') identities.keepFor(task.n, identity)
  return blamesProxy
}

/** Sets the identity of a claimed task. A task that changes from HTTP to a browser keeps its identity. */
export function withIdentity({ identities: groups }: RunningJob, claimed: TimedTask, now: number): TimedTask {
  const task = groups?.isOther(claimed) ? asItsOwn(groups, claimed, now) : claimed
  const identities = groups?.of(task)
  const begun = identities && task.way === 'browser' ? identities.takeAgain(task.n, task.host) : null
  if (!begun) return task
  if (task.identity) identities?.giveBack(task.identity, task.host)
  return { ...task, identity: begun }
}

/** Replaces the identity of a task whose own policy differs from its host's. The identity is null if all healthy proxies
 *  rest for this host, or if no proxy is healthy. */
function asItsOwn(groups: IdentitiesByPolicy, { identity, ...task }: TimedTask, now: number): TimedTask {
  const { host } = task
  if (identity) groups.giveBack(identity, host)
  const identities = groups.of(task)
  if (!identities) return task
  const readyAt = identities.readyAt(host, now)
  return readyAt > now && !identities.noneHealthy
    ? { ...task, identity: null, restsUntil: readyAt }
    : { ...task, identity: identities.take(host, now) }
}

/** Why a task cannot run without a proxy now; null if it has a proxy or needs none. */
export function proxyFailure({ identities }: RunningJob, task: TimedTask, now: number): Failure | null {
  if (task.identity !== null) return null
  if (task.restsUntil === undefined) return identities?.of(task)?.noHealthyProxy() ?? null
  const retryAfterMs = task.restsUntil - now
  return new Failure(
    'host.not-now',
    `all proxies for ${task.host} pause after failures; the next one is available in ${retryAfterMs} ms`,
    {
      ...{ host: task.host, retryAfterMs },
    },
  )
}

/** Updates the identity of a page that was parsed after its request was reported. */
export function learnFromParse(
  context: Pick<CoordinatorContext, 'jobs'>,
  { task }: InFlightTask,
  { identity, failure }: AnswerFacts,
): void {
  if (identity && failure) context.jobs.get(task.jobId)?.identities?.of(task)?.read(identity, failure)
}

function targetOf(text: string): string | null {
  const url = URL.parse(text)
  return url && `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`
}

/** Starts to check unhealthy proxies in the background. The next sweep uses the results. */
export function checkProxies(context: ProxyCheckContext): void {
  if (!context.proxies) return
  const now = context.clock.now()
  checkProxyHealth(context, context.proxies, context.proxies.proxySet, null, now)
  for (const { id: jobId, identities } of context.jobs.values())
    for (const { proxySet, proxy } of identities?.proxySets ?? [])
      if (proxySet !== context.proxies.proxySet)
        checkProxyHealth(context, context.proxies, proxySet, { jobId, proxy }, now)
}

function checkProxyHealth(
  { clock }: ProxyCheckContext,
  { check, checkEveryMs }: ProxyPool,
  proxySet: ProxySet | null,
  of: ProxyUse | null,
  now: number,
): void {
  if (!proxySet || proxySet.healthy === proxySet.size) return
  const isDue = proxySet.nextCheckAt !== null && now >= proxySet.nextCheckAt
  if (isDue || proxySet.nextCheckAt === null) proxySet.nextCheckAt = now + checkEveryMs
  if (!isDue) return
  for (const { endpoint, target } of proxySet.unhealthy)
    void check(endpoint, target, of).then(
      found => proxySet.checked(endpoint.name, found, clock.now()),
      () => {},
    )
}
