// Permits: requests of a task beyond its first, judged by scope, do-not-crawl list, seen-set, robots.txt and the host's turn.
import { canonicalUrl, hostOf, urlKey } from '../frontier/canonical-url.ts'
import { Failure } from '../model/failures.ts'
import { taskId } from '../model/ids.ts'
import type { AskPermit, PermitRequest } from '../ports/permits.ts'
import type { Desk } from './desk.ts'
import { waitForExtra, waitForPart, waitForRobotsHop } from './host-turns.ts'
import { learnRobots, obeysRobots } from './learn-robots.ts'
import { meetHost } from './meet-host.ts'
import { robotsFailure } from './robots-gate.ts'
import type { RunningJob } from './running-job.ts'

export const answerPermits =
  (desk: Desk): AskPermit =>
  async request => {
    const job = desk.jobs.get(request.jobId)
    if (!job) throw new Failure('worker.stopping', `job ${request.jobId} is no longer running here`)
    const url = canonicalUrl(request.url, job.canonical) ?? request.url
    const host = hostOf(url)
    const denied = desk.crawlList.refusalOf(host, url)
    if (denied !== null) throw new Failure('host.denied', denied, { host })
    desk.gate.judgeUrl(url)
    if (request.sent) desk.hosts.noteSent(hostOf(request.sent.url), request.sent.at)
    await meetHost(desk, host)
    const { purpose } = request
    if (purpose === 'robots') return void (await waitForRobotsHop(desk, job, host))
    if (purpose === 'part') return void (await waitForPart(desk, job, host))
    if (purpose === 'hop' || purpose === 'landing') await judgeHop(desk, job, request, url)
    if (obeysRobots(desk, job, host)) await judgeRobots(desk, job, url)
    if (purpose !== 'landing') await waitForExtra(desk, job, host)
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
