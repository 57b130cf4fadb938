// Fetches robots.txt in a slot of its host, applies its rules, and adds its sitemaps as tasks.
import { canonicalUrl, hostOf, urlKey } from '../../../frontier/canonical-url.ts'
import type { RobotsEntry } from '../../../model/host.ts'
import type { RobotsReport } from '../../../model/lane.ts'
import type { NewTask } from '../../../model/task.ts'
import { robotsFailed } from '../../work/fetch-robots.ts'
import type { CoordinatorContext } from '../context.ts'
import type { RunningJob } from '../running-job.ts'
import { acceptWork, type NewWorkContext } from '../settle/learn-outcomes.ts'
import { sitemapPriority } from '../settle/settle.ts'
import { type SlotContext, waitForSlot } from './host-slots.ts'
import { originOf, waitFor } from './robots-gate.ts'

/** Dependencies for fetching and applying robots.txt. */
export type RobotsContext = SlotContext &
  NewWorkContext &
  Pick<CoordinatorContext, 'robots' | 'lanes' | 'emit' | 'deliver'>

/** Whether robots.txt applies: the job decides. If it has no value, the policy of the host decides. */
export const obeysRobots = (context: RobotsContext, job: RunningJob, host: string): boolean =>
  (job.robots ?? context.hosts.robotsOf(host)) === 'obey'

export async function learnRobots(context: RobotsContext, job: RunningJob, url: string): Promise<void> {
  const host = hostOf(url)
  const { reader } = job
  const entry = await askOrEnd(context, job, url)
  const rules = context.robots.rulesOf(url, reader)
  const until = waitFor(context.robots.decide(url, reader))
  if (reader.circle === '')
    updateHost(context, host, rules?.crawlDelayMs ?? null, until, entry.status === null)
  // A robots.txt of another circle may raise the crawl delay for all jobs, but it must not lower it or pause the host for them.
  else context.hosts.raiseCrawlDelay(host, rules?.crawlDelayMs ?? 0)
  // Call this after the update of the crawl delay, because it lets the waiting tasks start.
  context.hosts.setRobotsPending(host, false)
  context.deliver([])
  if (entry.verdict !== 'unreachable') await addSitemaps(context, job, originOf(url), rules?.sitemaps ?? [])
}

function updateHost(
  { hosts, clock }: RobotsContext,
  host: string,
  delayMs: number | null,
  until: number | null,
  isMute: boolean,
): void {
  hosts.setCrawlDelay(host, delayMs)
  hosts.noteRobots(host, until === null ? 'read' : isMute ? 'mute' : 'refused', clock.now())
  if (until !== null) hosts.pause(host, until, 'robots.unreachable')
}

/** Several tasks may wait for the same file. One of them fetches the file and reports the outcome. */
async function askOrEnd(context: RobotsContext, job: RunningJob, url: string): Promise<RobotsEntry> {
  const host = hostOf(url)
  let isAsking = false
  try {
    const entry = await context.robots.learn(url, job.reader, origin => {
      isAsking = true
      return fetchInTurn(context, job, host, origin)
    })
    if (isAsking) context.emit('robots.read', { origin: entry.origin, verdict: entry.verdict })
    return entry
  } catch (error) {
    context.hosts.setRobotsPending(host, false)
    throw error
  }
}

/** Fetches robots.txt in a slot of the host. During the fetch, no task of the host is released, because all tasks need
 *  this file. */
async function fetchInTurn(
  context: RobotsContext,
  job: RunningJob,
  host: string,
  origin: string,
): Promise<RobotsReport> {
  await waitForSlot(context, job, host)
  context.hosts.setRobotsPending(host, true)
  const report = await fetchRobotsAsIdentity(context, job, host, origin)
  const { sentAt: startedAt, endedAt, failure } = report
  context.hosts.finished(
    host,
    { startedAt, endedAt, page: 'robots.txt', ...(failure && { failure: failure.code }) },
    context.clock.now(),
  )
  return report
}

/** How many proxies are tried. If a proxy fails, the site may still work, so the next proxy is tried. */
const mostProxies = 3

async function fetchRobotsAsIdentity(
  context: RobotsContext,
  { lane, identities: groups, answerBy }: RunningJob,
  host: string,
  origin: string,
): Promise<RobotsReport> {
  const identities = groups?.at(host) ?? null
  for (let tried = 1; ; tried++) {
    const identity = identities?.takeAside(host, context.clock.now()) ?? null
    if (identities && !identity) return robotsFailed(origin, context.clock.now(), identities.noHealthyProxy())
    const report = await context.lanes
      .fetchRobots(origin, lane, identity)
      .catch(error => robotsFailed(origin, context.clock.now(), error))
    const { failure } = report
    if (identity) identities?.learn(identity, host, { failure }, context.clock.now())
    if (!failure?.details?.proxy || tried === mostProxies) return report
    // Return if there is no time for another try, which would probably take as long as this one.
    const { startedAt, endedAt } = report
    if (answerBy !== null && endedAt + (endedAt - startedAt) > answerBy) return report
  }
}

/** Adds tasks for the sitemaps that robots.txt names, or for `/sitemap.xml`. Runs once for each origin of the seed URLs. */
export async function addSitemaps(
  context: RobotsContext,
  job: RunningJob,
  origin: string,
  named: readonly string[],
): Promise<void> {
  if (!job.takeSitemaps(origin)) return
  const urls = named.length > 0 ? named : [`${origin}/sitemap.xml`]
  const tasks = urls.flatMap(url => sitemapTaskOf(url, origin, job))
  if (tasks.length === 0) return
  const { hosts } = await context.store.tasks.add(job.id, tasks)
  await acceptWork(
    context,
    [...hosts].map(([host, count]) => ({ jobId: job.id, host, count })),
  )
}

function sitemapTaskOf(raw: string, origin: string, job: RunningJob): NewTask[] {
  const url = canonicalUrl(raw, job.canonical, origin)
  if (!url) return []
  return [
    {
      key: urlKey(url),
      kind: 'sitemap',
      url,
      host: hostOf(url),
      depth: 0,
      priority: sitemapPriority,
      parent: null,
      input: null,
      itemId: null,
    },
  ]
}
