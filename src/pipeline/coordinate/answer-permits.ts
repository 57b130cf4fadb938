// Permits: requests of a task beyond its first, judged by scope, do-not-crawl list, seen-set, robots.txt and the host's turn.
import { canonicalUrl, givenUrl, hostOf, urlKey } from '../../frontier/canonical-url.ts'
import { Failure } from '../../model/failures.ts'
import { taskId } from '../../model/ids.ts'
import type { Permit, PermitRequest } from '../../ports/permits.ts'
import { permitGoodForMs } from '../work/turn-times.ts'
import type { Desk } from './desk.ts'
import { waitForExtra, waitForRobotsHop } from './host-turns.ts'
import { learnRobots, obeysRobots } from './learn-robots.ts'
import { loadHostState } from './load-host-state.ts'
import { robotsFailure } from './robots-gate.ts'
import type { RunningJob } from './running-job.ts'

export const answerPermits =
  (desk: Desk) =>
  async (request: PermitRequest): Promise<Permit> => {
    const askedAt = desk.clock.now()
    const goodUntil = await waitForPermit(desk, request)
    const now = desk.clock.now()
    return { heldMs: now - askedAt, goodForMs: goodUntil && Math.max(0, goodUntil - now) }
  }

/** Until when the request may start; null is for ever. */
async function waitForPermit(desk: Desk, request: PermitRequest): Promise<number | null> {
  const job = desk.jobs.get(request.jobId)
  if (!job) throw new Failure('worker.stopping', `job ${request.jobId} is no longer running here`)
  const url = givenUrl(request.url) ?? request.url
  const host = hostOf(url)
  const denied = desk.crawlList.refusalOf(host, url)
  if (denied !== null) throw new Failure('host.denied', denied, { host })
  desk.gate.judgeUrl(url)
  if (request.sent) desk.hosts.noteSent(hostOf(request.sent.url), request.sent.at)
  await loadHostState(desk, host)
  const { purpose, lapsed = 0 } = request
  if (purpose === 'robots' || purpose === 'part') return turnFor(waitForRobotsHop, desk, job, host, lapsed)
  if (purpose === 'hop' || purpose === 'landing') await judgeHop(desk, job, request, url)
  if (obeysRobots(desk, job, host)) await judgeRobots(desk, job, url)
  return purpose === 'landing' ? null : turnFor(waitForExtra, desk, job, host, lapsed)
}

/** Another process may take a while to use its permit: the host is booked up to the latest that it may go out, so that nobody comes close behind. */
async function turnFor(
  wait: typeof waitForExtra,
  desk: Desk,
  job: RunningJob,
  host: string,
  lapsed: number,
): Promise<number | null> {
  const goodFor = (gapMs: number) => permitGoodForMs(gapMs, lapsed)
  const { at, gapMs } = await wait(desk, job, host, desk.handOver && goodFor)
  return desk.handOver && gapMs > 0 ? at + goodFor(gapMs) : null
}

/** A redirect target enters the seen-set before it is fetched; whoever has it already keeps it. */
async function judgeHop(desk: Desk, job: RunningJob, { n }: PermitRequest, url: string): Promise<void> {
  if (job.job.kind === 'list') return
  const canonical = canonicalUrl(url, job.canonical) ?? url
  const verdict = job.scope.allows(canonical, 0)
  if (!verdict.ok)
    throw new Failure(
      'scope.redirected-out',
      `redirects to ${url}, which is out of scope (${verdict.rule})`,
      { url, rule: verdict.rule },
    )
  if (!job.dedupes) return
  const holder = await desk.store.tasks.alias(job.id, urlKey(canonical), n)
  if (holder === null || holder === n) return
  throw new Failure('duplicate.redirect', `redirects to ${url}, which is task ${taskId(job.id, holder)}`, {
    url,
    duplicateOf: holder,
  })
}

async function judgeRobots(desk: Desk, job: RunningJob, url: string): Promise<void> {
  if (desk.robots.decide(url, job.reader).is === 'unknown') await learnRobots(desk, job, url)
  const failure = robotsFailure(url, desk.robots.decide(url, job.reader), desk.clock.now())
  if (failure) throw failure
}
