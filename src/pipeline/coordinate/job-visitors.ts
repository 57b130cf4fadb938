// As whom a job's tasks are done, as the coordinator sees it: chosen with the plan, learned from with each end, looked after by the sweep.
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { ProxyBook } from '../../fetch/proxies/book.ts'
import { type JobProxies, jobProxies, noProxies } from '../../fetch/proxies/job-proxies.ts'
import { JobVisitors } from '../../fetch/proxies/visitors.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { AnswerFacts } from '../../model/hand-over.ts'
import type { TimedTask } from '../../model/lane.ts'
import { identityPolicy, type ProxyPolicy, proxyPolicy } from '../../model/policy/proxy.ts'
import { consentsOfTask } from '../submit/conduct-notes.ts'
import { layersOf } from '../work/task-overrides.ts'
import type { Desk, HeldTask } from './desk.ts'
import type { ProxyPool, ProxyUse } from './proxy-pool.ts'
import type { RunningJob } from './running-job.ts'
import { VisitorGroups, type WhoPolicy } from './visitor-groups.ts'

/** What a job is paused with while no proxy of its is well. */
export const noHealthyProxy = 'no-healthy-proxy'

export function visitorsFor(desk: Desk, running: RunningJob): VisitorGroups {
  const { policy } = running.job.spec
  return new VisitorGroups({
    // A job from before there were any has no word on them.
    policy: {
      proxy: policy.proxy ?? proxyPolicy.parse({}),
      identity: policy.identity ?? identityPolicy.parse({}),
    },
    open: who => openVisitors(desk, running, who),
    policyOf: host => desk.hosts.policyOf(host),
    otherwise: (host, who) => void noteOtherwise(desk, running, host, who).catch(() => {}),
    policyAt: (host, own) => layersOf(desk, running, host, own).policy,
  })
}

/** What the policy of a domain has a job do beyond the polite defaults was the operator's decision, and is noted as such. */
async function noteOtherwise(
  { store, clock }: Desk,
  { job }: RunningJob,
  host: string,
  who: WhoPolicy,
): Promise<void> {
  const before = new Set((await store.conduct.notes(job.id)).map(({ what, value }) => `${what} ${value}`))
  const own = new Set(consentsOfTask(job.spec.policy, '').map(({ what, value }) => `${what} ${value}`))
  const news = consentsOfTask(who, '')
    .filter(({ what, value }) => !own.has(`${what} ${value}`))
    .map(({ what, value }) => ({ what, value: `${value} at ${host}`, who: 'operator', at: clock.now() }))
    .filter(({ what, value }) => !before.has(`${what} ${value}`))
  if (news.length > 0) await store.conduct.note(job.id, news)
}

/** While all its work waits for one that is well. */
export const waitsForProxy = ({ dispatcher }: Desk, { id, visitors }: RunningJob): boolean =>
  visitors?.isStuck(() => dispatcher.hostNamesOf(id)) ?? false

/** Null where tasks are all done by one visitor, from here, by one way: then there is nothing to choose. */
function openVisitors(
  desk: Desk,
  { job, render, isAwaited }: RunningJob,
  { proxy, identity }: WhoPolicy,
): JobVisitors | null {
  const { session } = job.spec
  const { endpoints, areShared, warnings } = proxiesFor(desk, proxy)
  for (const message of warnings) desk.emit('notice.given', { jobId: job.id, message })
  const isOne = endpoints === null && identity.count === undefined
  if (isOne && render !== 'auto') return null
  const shared = areShared ? (desk.proxies?.book ?? null) : null
  return new JobVisitors({
    ...{ proxy, identity },
    isOther: job.spec.policy.proxy !== undefined && !isDeepStrictEqual(proxy, job.spec.policy.proxy),
    book: endpoints && (shared ?? new ProxyBook(endpoints, desk.random)),
    session: session ?? (isOne ? job.id : null),
    tellsAtOnce: job.face === 'scrape' && isAwaited,
    newId: () => randomBytes(6).toString('hex'),
  })
}

/** A job was refused if it asked for what can't be had. A domain's policy may: then nothing goes out there, by no other way either. */
function proxiesFor({ proxies }: Desk, policy: ProxyPolicy): JobProxies {
  try {
    return jobProxies(proxies?.operator ?? noProxies, policy)
  } catch (error) {
    return { endpoints: [], areShared: false, warnings: [asFailure(error).message] }
  }
}

/** How it went, told once for each task that was asked for. */
export function tellVisitors(desk: Desk, { task }: HeldTask, { visitor, failure }: AnswerFacts): void {
  const visitors = visitor && desk.jobs.get(task.jobId)?.visitors?.of(task)
  if (!visitors) return
  const { cookies } = visitor
  const facts = { failure, ...(cookies !== undefined && { cookies }) }
  visitors.learn(visitor, task.host, facts, desk.clock.now(), targetOf(task.url))
  if (failure?.code === 'render.needed') visitors.keepFor(task.n, visitor)
}

/** A task that moves from one way to the other is still done by whoever began with it. */
export function withVisitor({ visitors: groups }: RunningJob, claimed: TimedTask, now: number): TimedTask {
  const task = groups?.isOther(claimed) ? asItsOwn(groups, claimed, now) : claimed
  const visitors = groups?.of(task)
  const begun = visitors && task.way === 'browser' ? visitors.takeAgain(task.n, task.host) : null
  if (!begun) return task
  if (task.visitor) visitors?.giveBack(task.visitor, task.host)
  return { ...task, visitor: begun }
}

/** Whoever was chosen for its host is not who it asks for. Without `visitor` where it is done by one, from here. */
function asItsOwn(groups: VisitorGroups, { visitor, ...task }: TimedTask, now: number): TimedTask {
  const { host } = task
  if (visitor) groups.giveBack(visitor, host)
  const visitors = groups.of(task)
  if (!visitors) return task
  const readyAt = visitors.readyAt(host, now)
  return readyAt > now && !visitors.noneHealthy
    ? { ...task, visitor: null, restsUntil: readyAt }
    : { ...task, visitor: visitors.take(host, now) }
}

/** Why a task can't be done now for want of a proxy; null where it has one, or needs none. */
export function proxyFailure({ visitors }: RunningJob, task: TimedTask, now: number): Failure | null {
  if (task.visitor !== null) return null
  if (task.restsUntil === undefined) return visitors?.of(task)?.noHealthyProxy() ?? null
  const retryAfterMs = task.restsUntil - now
  return new Failure('host.not-now', `the proxies for ${task.host} rest for another ${retryAfterMs} ms`, {
    ...{ host: task.host, retryAfterMs },
  })
}

/** What the page turned out to be, when it was read later. */
export function tellVisitorsOfReading(
  desk: Desk,
  { task }: HeldTask,
  { visitor, failure }: AnswerFacts,
): void {
  if (visitor && failure) desk.jobs.get(task.jobId)?.visitors?.of(task)?.read(visitor, failure)
}

function targetOf(text: string): string | null {
  const url = URL.parse(text)
  return url && `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`
}

/** Those that are unwell are tried now and then. Nobody waits for it: what was found is seen by the next sweep. */
export function tendProxies(desk: Desk): void {
  if (!desk.proxies) return
  const now = desk.clock.now()
  tendBook(desk, desk.proxies, desk.proxies.book, null, now)
  for (const { id: jobId, visitors } of desk.jobs.values())
    for (const { book, proxy } of visitors?.books ?? [])
      if (book !== desk.proxies.book) tendBook(desk, desk.proxies, book, { jobId, proxy }, now)
}

function tendBook(
  { clock }: Desk,
  { check, checkEveryMs }: ProxyPool,
  book: ProxyBook | null,
  of: ProxyUse | null,
  now: number,
): void {
  if (!book || book.healthy === book.size) return
  const isDue = book.nextCheckAt !== null && now >= book.nextCheckAt
  if (isDue || book.nextCheckAt === null) book.nextCheckAt = now + checkEveryMs
  if (!isDue) return
  for (const { endpoint, target } of book.unwell)
    void check(endpoint, target, of).then(
      found => book.checked(endpoint.name, found, clock.now()),
      () => {},
    )
}
