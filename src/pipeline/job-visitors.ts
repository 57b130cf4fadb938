// As whom a job's tasks are done, as the coordinator sees it: chosen with the plan, learned from with each end, looked after by the sweep.
import { randomBytes } from 'node:crypto'
import { ProxyBook } from '../fetch/proxies/book.ts'
import { jobProxies, noProxies } from '../fetch/proxies/job-proxies.ts'
import { JobVisitors } from '../fetch/proxies/visitors.ts'
import type { AnswerFacts } from '../model/hand-over.ts'
import type { TimedTask } from '../model/lane.ts'
import { identityPolicy, proxyPolicy } from '../model/proxy.ts'
import type { Desk, HeldTask } from './desk.ts'
import type { ProxyDesk } from './proxy-desk.ts'
import type { RunningJob } from './running-job.ts'

/** What a job is paused with while no proxy of its is well. */
export const noHealthyProxy = 'no-healthy-proxy'

/** Null for a job whose tasks are all done by one visitor, from here, by one way: then there is nothing to choose. */
export function visitorsFor(desk: Desk, { job, render, isAwaited }: RunningJob): JobVisitors | null {
  const { policy, session } = job.spec
  // A job from before there were any has no word on them.
  const proxy = policy.proxy ?? proxyPolicy.parse({})
  const identity = policy.identity ?? identityPolicy.parse({})
  const { endpoints, areShared, warnings } = jobProxies(desk.proxies?.operator ?? noProxies, proxy)
  for (const message of warnings) desk.emit('notice.given', { jobId: job.id, message })
  const isOne = endpoints === null && identity.count === undefined
  if (isOne && render !== 'auto') return null
  const shared = areShared ? (desk.proxies?.book ?? null) : null
  return new JobVisitors({
    ...{ proxy, identity },
    book: endpoints && (shared ?? new ProxyBook(endpoints, desk.random)),
    session: session ?? (isOne ? job.id : null),
    tellsAtOnce: job.face === 'scrape' && isAwaited,
    newId: () => randomBytes(6).toString('hex'),
  })
}

/** How it went, told once for each task that was asked for. */
export function tellVisitors(desk: Desk, { task }: HeldTask, { visitor, failure }: AnswerFacts): void {
  const visitors = visitor && desk.jobs.get(task.jobId)?.visitors
  if (!visitors) return
  const { cookies } = visitor
  const facts = { failure, ...(cookies !== undefined && { cookies }) }
  visitors.learn(visitor, task.host, facts, desk.clock.now(), targetOf(task.url))
  if (failure?.code === 'render.needed') visitors.keepFor(task.n, visitor)
}

/** A task that moves from one way to the other is still done by whoever began with it. */
export function withVisitor({ visitors }: RunningJob, task: TimedTask): TimedTask {
  const begun = visitors && task.way === 'browser' ? visitors.takeAgain(task.n, task.host) : null
  if (!begun) return task
  if (task.visitor) visitors?.giveBack(task.visitor, task.host)
  return { ...task, visitor: begun }
}

/** What the page turned out to be, when it was read later. */
export function tellVisitorsOfReading(
  desk: Desk,
  { task }: HeldTask,
  { visitor, failure }: AnswerFacts,
): void {
  if (visitor && failure) desk.jobs.get(task.jobId)?.visitors?.read(visitor, failure)
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
  for (const { id, visitors } of desk.jobs.values())
    if (visitors?.book && visitors.book !== desk.proxies.book)
      tendBook(desk, desk.proxies, visitors.book, id, now)
}

function tendBook(
  { clock }: Desk,
  { check, checkEveryMs }: ProxyDesk,
  book: ProxyBook | null,
  jobId: string | null,
  now: number,
): void {
  if (!book || book.healthy === book.size) return
  const isDue = book.nextCheckAt !== null && now >= book.nextCheckAt
  if (isDue || book.nextCheckAt === null) book.nextCheckAt = now + checkEveryMs
  if (!isDue) return
  for (const { endpoint, target } of book.unwell)
    void check(endpoint, target, jobId).then(
      found => book.checked(endpoint.name, found, clock.now()),
      () => {},
    )
}
