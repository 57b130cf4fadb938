// Permits: requests of a task beyond its first, judged by scope, do-not-crawl list, seen-set, robots.txt and the host's turn.
import { canonicalUrl, hostOf, urlKey } from '../frontier/canonical-url.ts'
import { Failure } from '../model/failures.ts'
import { taskId } from '../model/ids.ts'
import type { Permit, PermitRequest } from '../ports/permits.ts'
import type { Desk } from './desk.ts'
import { waitForExtra, waitForPart, waitForRobotsHop } from './host-turns.ts'
import { learnRobots, obeysRobots } from './learn-robots.ts'
import { meetHost } from './meet-host.ts'
import { robotsFailure } from './robots-gate.ts'
import type { RunningJob } from './running-job.ts'

export const answerPermits =
  (desk: Desk) =>
  async (request: PermitRequest): Promise<Permit> => {
    const askedAt = desk.clock.now()
    const goodForMs = await waitForPermit(desk, request)
    return { heldMs: desk.clock.now() - askedAt, goodForMs }
  }

async function waitForPermit(desk: Desk, request: PermitRequest): Promise<number | null> {
  const job = desk.jobs.get(request.jobId)
  if (!job) throw new Failure('worker.stopping', `job ${request.jobId} is no longer running here`)
  const url = canonicalUrl(request.url, job.canonical) ?? request.url
  const host = hostOf(url)
  const denied = desk.crawlList.refusalOf(host, url)
  if (denied !== null) throw new Failure('host.denied', denied, { host })
  desk.gate.judgeUrl(url)
  if (request.sent) desk.hosts.noteSent(hostOf(request.sent.url), request.sent.at)
  await meetHost(desk, host)
  const { purpose, lapsed } = request
  const until = ({ gapMs }: { gapMs: number }) => goodForMs(desk, host, gapMs, lapsed)
  if (purpose === 'robots') return until(await waitForRobotsHop(desk, job, host))
  if (purpose === 'part') return until(await waitForPart(desk, job, host))
  if (purpose === 'hop' || purpose === 'landing') await judgeHop(desk, job, request, url)
  if (obeysRobots(desk, job, host)) await judgeRobots(desk, job, url)
  return purpose === 'landing' ? null : until(await waitForExtra(desk, job, host))
}

/** An answer reaches another process within this, unless one of them is busy; then it is given longer. */
const leastGoodMs = 20
const longerEachTime = 4

/** Another process may take a while to use its permit: the host is booked up to the latest that it may go out, so that nobody comes close behind. */
function goodForMs(desk: Desk, host: string, gapMs: number, lapsed = 0): number | null {
  if (!desk.handOver || gapMs === 0) return null
  const goodMs = Math.max(leastGoodMs, gapMs / 20) * longerEachTime ** lapsed
  desk.hosts.noteSent(host, desk.clock.now() + goodMs)
  return goodMs
}

/** A redirect target enters the seen-set before it is fetched; whoever has it already keeps it. */
async function judgeHop(desk: Desk, job: RunningJob, { n }: PermitRequest, url: string): Promise<void> {
  if (job.job.kind === 'list') return
  const verdict = job.scope.allows(url, 0)
  if (!verdict.ok)
    throw new Failure(
      'scope.redirected-out',
      `redirects to ${url}, which is out of scope (${verdict.rule})`,
      { url, rule: verdict.rule },
    )
  if (!job.dedupes) return
  const holder = await desk.store.tasks.alias(job.id, urlKey(url), n)
  if (holder === null || holder === n) return
  throw new Failure('duplicate.redirect', `redirects to ${url}, which is task ${taskId(job.id, holder)}`, {
    url,
    duplicateOf: holder,
  })
}

async function judgeRobots(desk: Desk, job: RunningJob, url: string): Promise<void> {
  if (desk.robots.decide(url, job.lane.userAgent).is === 'unknown') await learnRobots(desk, job, url)
  const failure = robotsFailure(url, desk.robots.decide(url, job.lane.userAgent), desk.clock.now())
  if (failure) throw failure
}
