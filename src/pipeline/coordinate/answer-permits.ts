// Decides on permits. A worker needs a permit for each request of a task after the first one. The decision depends on
// scope, do-not-crawl list, seen-set, robots.txt and the host's slots.
import { canonicalUrl, givenUrl, hostOf, urlKey } from '../../frontier/canonical-url.ts'
import { Failure } from '../../model/failures.ts'
import { taskId } from '../../model/ids.ts'
import type { Permit, PermitRequest } from '../../ports/permits.ts'
import type { CoordinatorContext } from './context.ts'
import { waitForExtra, waitForRobotsHop } from './hosts/host-slots.ts'
import { learnRobots, obeysRobots, type RobotsContext } from './hosts/learn-robots.ts'
import { loadHostState } from './hosts/load-host-state.ts'
import { robotsFailure } from './hosts/robots-gate.ts'
import type { RunningJob } from './running-job.ts'

/** Dependencies for deciding on a permit. */
type PermitContext = RobotsContext & Pick<CoordinatorContext, 'conduct' | 'gate' | 'workers'>

export const answerPermits =
  (context: PermitContext) =>
  async (request: PermitRequest): Promise<Permit> => {
    const askedAt = context.clock.now()
    const goodUntil = await waitForPermit(context, request)
    const now = context.clock.now()
    return { heldMs: now - askedAt, goodForMs: goodUntil && Math.max(0, goodUntil - now) }
  }

/** Resolves with the latest time at which the request may be sent; null: no limit. Throws the Failure that forbids the request. */
async function waitForPermit(context: PermitContext, request: PermitRequest): Promise<number | null> {
  const job = context.jobs.get(request.jobId)
  if (!job) throw new Failure('worker.stopping', `job ${request.jobId} is no longer run by this process`)
  const url = givenUrl(request.url) ?? request.url
  const host = hostOf(url)
  const denied = context.conduct.crawlList.refusalOf(host, url)
  if (denied !== null) throw new Failure('host.denied', denied, { host })
  context.gate.judgeUrl(url)
  if (request.sent) context.hosts.noteSent(hostOf(request.sent.url), request.sent.at)
  await loadHostState(context, host)
  const { purpose, lapsed = 0 } = request
  if (purpose === 'robots' || purpose === 'part') return slotFor(waitForRobotsHop, context, job, host, lapsed)
  if (purpose === 'hop' || purpose === 'landing') await judgeHop(context, job, request, url)
  if (obeysRobots(context, job, host)) await judgeRobots(context, job, url)
  return purpose === 'landing' ? null : slotFor(waitForExtra, context, job, host, lapsed)
}

/** A worker process may send its request at any time until the permit expires. So the host counts as used until that
 *  time. Otherwise the next request could follow too soon. */
async function slotFor(
  wait: typeof waitForExtra,
  context: PermitContext,
  job: RunningJob,
  host: string,
  lapsed: number,
): Promise<number | null> {
  const validMs = (gapMs: number) => context.workers.permitValidMs(gapMs, lapsed)
  const { at, gapMs } = await wait(context, job, host, validMs)
  const forMs = gapMs > 0 ? validMs(gapMs) : undefined
  return forMs === undefined ? null : at + forMs
}

/** Checks a redirect target of a crawl. It must be in scope, and no other task may have its URL. Adds the URL to the seen-set
 *  before it is fetched. */
async function judgeHop(
  context: PermitContext,
  job: RunningJob,
  { n }: PermitRequest,
  url: string,
): Promise<void> {
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
  const holder = await context.store.tasks.alias(job.id, urlKey(canonical), n)
  if (holder === null || holder === n) return
  throw new Failure(
    'duplicate.redirect',
    `redirects to ${url}, which belongs to task ${taskId(job.id, holder)}`,
    {
      url,
      duplicateOf: holder,
    },
  )
}

async function judgeRobots(context: PermitContext, job: RunningJob, url: string): Promise<void> {
  if (context.robots.decide(url, job.reader).is === 'unknown') await learnRobots(context, job, url)
  const failure = robotsFailure(url, context.robots.decide(url, job.reader), context.clock.now())
  if (failure) throw failure
}
