// Learning robots.txt: one request under the host's own politeness, its rules put in force, its sitemaps followed.
import { canonicalUrl, hostOf, urlKey } from '../frontier/canonical-url.ts'
import type { NewTask } from '../model/task.ts'
import type { Desk } from './desk.ts'
import { waitForSlot } from './host-turns.ts'
import { meetHost } from './meet-host.ts'
import { originOf } from './robots-gate.ts'
import type { RunningJob } from './running-job.ts'
import { sitemapPriority } from './settle.ts'

export async function learnRobots(desk: Desk, job: RunningJob, url: string): Promise<void> {
  const host = hostOf(url)
  const entry = await desk.robots.learn(url, job.lane.userAgent, async origin => {
    await waitForSlot(desk, job, host)
    const report = await desk.lanes.fetchRobots(origin, job.lane)
    const { sentAt, endedAt, failure } = report
    desk.hosts.finished(
      host,
      { startedAt: sentAt, endedAt, ...(failure && { failure: failure.code }) },
      desk.clock.now(),
    )
    return report
  })
  const rules = desk.robots.rulesOf(url, job.lane.userAgent)
  desk.hosts.setCrawlDelay(host, rules?.crawlDelayMs ?? null)
  if (entry.verdict === 'unreachable') desk.hosts.pause(host, entry.expiresAt, 'robots.unreachable')
  desk.emit('robots.read', { origin: entry.origin, verdict: entry.verdict })
  await addSitemaps(desk, job, originOf(url), rules?.sitemaps ?? [])
}

/** Sitemaps named by robots.txt, or the usual place, become tasks once per origin of a crawl. */
export async function addSitemaps(
  desk: Desk,
  job: RunningJob,
  origin: string,
  named: readonly string[],
): Promise<void> {
  const { kind, spec } = job.job
  if (kind === 'list' || spec.sitemap === 'skip' || spec.sitemapUrl || job.sitemapsOf.has(origin)) return
  job.sitemapsOf.add(origin)
  if (!(spec.seedUrls ?? []).some(seed => originOf(seed) === origin)) return
  const urls = named.length > 0 ? named : [`${origin}/sitemap.xml`]
  const tasks = urls.flatMap(url => sitemapTaskOf(url, origin, job))
  if (tasks.length === 0) return
  const { added, hosts } = await desk.store.tasks.add(job.id, tasks)
  job.open += added
  for (const [host, count] of hosts) {
    await meetHost(desk, host)
    desk.dispatcher.addWork(job.id, host, count)
  }
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
