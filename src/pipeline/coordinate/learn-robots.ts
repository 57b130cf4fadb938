// Learning robots.txt: one request under the host's own politeness, its rules put in force, its sitemaps followed.
import { canonicalUrl, hostOf, urlKey } from '../../frontier/canonical-url.ts'
import type { RobotsEntry } from '../../model/host.ts'
import type { RobotsReport } from '../../model/lane.ts'
import type { NewTask } from '../../model/task.ts'
import { robotsFailed } from '../work/fetch-robots.ts'
import type { Desk } from './desk.ts'
import { waitForSlot } from './host-turns.ts'
import { acceptWork } from './learn-outcomes.ts'
import { originOf, waitFor } from './robots-gate.ts'
import type { RunningJob } from './running-job.ts'
import { sitemapPriority } from './settle.ts'

/** The job's own word first, then the policy of the host. */
export const obeysRobots = (desk: Desk, job: RunningJob, host: string): boolean =>
  (job.robots ?? desk.hosts.robotsOf(host)) === 'obey'

export async function learnRobots(desk: Desk, job: RunningJob, url: string): Promise<void> {
  const host = hostOf(url)
  const { reader } = job
  const entry = await askOrEnd(desk, job, url)
  const rules = desk.robots.rulesOf(url, reader)
  const until = waitFor(desk.robots.decide(url, reader))
  if (reader.circle === '') updateHost(desk, host, rules?.crawlDelayMs ?? null, until, entry.status === null)
  // What a reader apart was told slows all jobs of the host down, but neither hurries nor stops those of others.
  else desk.hosts.raiseCrawlDelay(host, rules?.crawlDelayMs ?? 0)
  // Not before its crawl-delay holds: whoever is let go now keeps to it.
  desk.hosts.setRobotsPending(host, false)
  desk.deliver([])
  if (entry.verdict !== 'unreachable') await addSitemaps(desk, job, originOf(url), rules?.sitemaps ?? [])
}

function updateHost(
  { hosts, clock }: Desk,
  host: string,
  delayMs: number | null,
  until: number | null,
  isMute: boolean,
): void {
  hosts.setCrawlDelay(host, delayMs)
  hosts.noteRobots(host, until === null ? 'read' : isMute ? 'mute' : 'refused', clock.now())
  if (until !== null) hosts.pause(host, until, 'robots.unreachable')
}

/** Several tasks may wait for it: one of them asks, and tells of it. */
async function askOrEnd(desk: Desk, job: RunningJob, url: string): Promise<RobotsEntry> {
  const host = hostOf(url)
  let isAsking = false
  try {
    const entry = await desk.robots.learn(url, job.reader, origin => {
      isAsking = true
      return fetchInTurn(desk, job, host, origin)
    })
    if (isAsking) desk.emit('robots.read', { origin: entry.origin, verdict: entry.verdict })
    return entry
  } catch (error) {
    desk.hosts.setRobotsPending(host, false)
    throw error
  }
}

/** Meanwhile no further task of the host is handed out: all of them would wait for the same answer. */
async function fetchInTurn(desk: Desk, job: RunningJob, host: string, origin: string): Promise<RobotsReport> {
  await waitForSlot(desk, job, host)
  desk.hosts.setRobotsPending(host, true)
  const report = await fetchRobotsAsIdentity(desk, job, host, origin)
  const { sentAt: startedAt, endedAt, failure } = report
  desk.hosts.finished(
    host,
    { startedAt, endedAt, page: 'robots.txt', ...(failure && { failure: failure.code }) },
    desk.clock.now(),
  )
  return report
}

/** A proxy that fails is no word of the site's: another one is tried. */
const mostProxies = 3

async function fetchRobotsAsIdentity(
  desk: Desk,
  { lane, identities: groups }: RunningJob,
  host: string,
  origin: string,
): Promise<RobotsReport> {
  const identities = groups?.at(host) ?? null
  for (let tried = 1; ; tried++) {
    const identity = identities?.takeAside(host, desk.clock.now()) ?? null
    if (identities && !identity) return robotsFailed(origin, desk.clock.now(), identities.noHealthyProxy())
    const report = await desk.lanes
      .fetchRobots(origin, lane, identity)
      .catch(error => robotsFailed(origin, desk.clock.now(), error))
    const { failure } = report
    if (identity) identities?.learn(identity, host, { failure }, desk.clock.now())
    if (!failure?.details?.proxy || tried === mostProxies) return report
  }
}

/** Sitemaps named by robots.txt, or the usual place, become tasks once for each origin of the seeds. */
export async function addSitemaps(
  desk: Desk,
  job: RunningJob,
  origin: string,
  named: readonly string[],
): Promise<void> {
  // A job that is being cancelled may be over by now, and takes no more tasks.
  if (job.cancelled || !job.unmapped.delete(origin)) return
  const urls = named.length > 0 ? named : [`${origin}/sitemap.xml`]
  const tasks = urls.flatMap(url => sitemapTaskOf(url, origin, job))
  if (tasks.length === 0) return
  const { hosts } = await desk.store.tasks.add(job.id, tasks)
  await acceptWork(
    desk,
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
