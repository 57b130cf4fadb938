// The plan of a job: estimates pages, time at the polite rate, browser pages, bytes and cost before it runs.
import type { KnownHostPolicy } from '../../dispatch/host-table.ts'
import { termsFor } from '../../dispatch/host-terms.ts'
import { spentOf } from '../../dispatch/job-budget.ts'
import { formatDuration, formatRate } from '../../lib/text/units.ts'
import type { HostPlan, JobPlan } from '../../model/api/plan.ts'
import type { GivenSpec, JobKind } from '../../model/job.ts'
import { type Prices, prices, type Rate } from '../../model/policy/policy.ts'
import { renderModeOf } from '../../model/policy/render-mode.ts'
import { crawlTargets, type PlanTargets, rulesOf, type TargetParts } from './plan-targets.ts'
import type { PolicyRules } from './policy-in-force.ts'
import type { LookedPage } from './sample-pages.ts'

export const sampleSize = 20
/** Assumed browser time per page if the sample has no rendered page. */
const assumedBrowserSeconds = 2
const shownHosts = 20
/** Robots.txt and policy are loaded for this many hosts, those with the most pages. Other hosts count as average
 *  hosts. */
const lookedUpHosts = 500

interface MakePlanParts extends TargetParts {
  policyFor: (host: string) => KnownHostPolicy | Promise<KnownHostPolicy>
  prices: Prices
  /** Limit of requests in flight over all hosts. */
  concurrency: number
}

/** Makes the plan of a job. `listed` are the targets of a list; if undefined, the job is a crawl. */
export async function makePlan(
  parts: MakePlanParts,
  given: GivenSpec,
  kind: JobKind,
  listed?: PlanTargets,
): Promise<JobPlan> {
  const targets = listed ?? (await crawlTargets(parts, given, sampleSize))
  const looked = targets.sample.length > 0 ? await parts.lookAt(targets.sample, 'page') : []
  const seeds = new Set(given.seedUrls)
  const pages = [...targets.asked.filter(({ url }) => seeds.has(url)), ...looked]
  const sample = sampleOf(pages)
  const hosts = await hostPlans(parts, given, targets.byHost)
  const count = boundedCount(given, targets.count)
  const share = targets.count ? (count ?? 0) / targets.count : 1
  return {
    kind,
    pages: { count, basis: targets.basis, disallowed: targets.disallowed, hosts: targets.byHost.size },
    hosts: hosts.slice(0, shownHosts),
    sample,
    estimate: estimateOf(parts, given, { count, share, hosts, sample }),
    asked: [...targets.asked, ...looked].map(({ url, status, reason, bytes, ms }) => ({
      ...{ url, status, reason, bytes },
      milliseconds: ms,
    })),
    notes: notesOf(given, targets, sample, count),
  }
}

function sampleOf(pages: readonly LookedPage[]): JobPlan['sample'] {
  const fine = pages.filter(({ reason }) => reason === 'ok')
  const needs = fine.flatMap(({ seen }) => seen?.browserNeed ?? [])
  const failures: Record<string, number> = {}
  for (const { reason } of pages)
    if (reason !== null && reason !== 'ok') failures[reason] = (failures[reason] ?? 0) + 1
  return {
    pages: pages.length,
    ok: fine.length,
    failures,
    bytesPerPage: Math.round(mean(fine.map(({ bytes }) => bytes))),
    millisecondsPerPage: Math.round(mean(fine.map(({ ms }) => ms))),
    needBrowser: needs.length,
    whyBrowser: needs[0] ?? null,
  }
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

/** The plans of the hosts, those with the most pages first. */
async function hostPlans(
  parts: MakePlanParts,
  given: GivenSpec,
  byHost: ReadonlyMap<string, number>,
): Promise<HostPlan[]> {
  const busiest = [...byHost].sort(([, a], [, b]) => b - a)
  const usual = await parts.policyFor('')
  return Promise.all(
    busiest.map(async ([host, pages], index) => {
      const known = index < lookedUpHosts ? await parts.policyFor(host) : usual
      const robots = index < shownHosts ? await robotsPart(parts, given, host) : notAsked
      return { host, pages: Math.round(pages), ...robots, rate: rateOf(known, given, robots.crawlDelayMs) }
    }),
  )
}

const notAsked = { crawlDelayMs: null, robots: 'not-asked' as const }

async function robotsPart(
  parts: MakePlanParts,
  { policy }: GivenSpec,
  host: string,
): Promise<Pick<HostPlan, 'crawlDelayMs' | 'robots'>> {
  if (policy.robots === 'ignore') return { crawlDelayMs: null, robots: 'ignored' }
  for (const scheme of ['https', 'http']) {
    const entry = await parts.robotsOf(`${scheme}://${host}`)
    if (!entry) continue
    const rules = await rulesOf(parts, `${scheme}://${host}`)
    return { crawlDelayMs: rules?.crawlDelayMs ?? null, robots: entry.verdict }
  }
  return notAsked
}

/** The job's prices replace the operator's. */
export const pricesFor = ({ defaults }: PolicyRules, { policy }: GivenSpec): Prices =>
  prices.parse({ ...defaults?.prices, ...policy.prices })

function rateOf(known: KnownHostPolicy, { policy }: GivenSpec, crawlDelayMs: number | null): Rate {
  const { gapMs, obeysRobots } = termsFor(known, { ...policy.host, robots: policy.robots })
  const delayMs = obeysRobots ? Math.min(crawlDelayMs ?? 0, known.crawlDelayCapMs) : 0
  const longest = Math.max(gapMs, delayMs)
  return longest === 0 ? 'unlimited' : Math.round(1e6 / longest) / 1e3
}

function boundedCount({ maxPages, policy }: GivenSpec, count: number | null): number | null {
  const most = Math.min(
    maxPages ?? Number.POSITIVE_INFINITY,
    policy.limits?.pages ?? Number.POSITIVE_INFINITY,
  )
  if (count === null) return Number.isFinite(most) ? most : null
  return Math.min(count, most)
}

function estimateOf(
  { concurrency, prices }: MakePlanParts,
  given: GivenSpec,
  found: { count: number | null; share: number; hosts: readonly HostPlan[]; sample: JobPlan['sample'] },
): JobPlan['estimate'] {
  const { count, share, hosts, sample } = found
  const known = hosts.reduce((sum, { pages }) => sum + pages, 0)
  const wholeSeconds = secondsFor(hosts, sample.millisecondsPerPage, known, concurrency)
  const perPage = known > 0 ? wholeSeconds / known : 0
  const bytes = count === null ? null : count * sample.bytesPerPage
  const browserPages = count === null ? null : Math.round(count * browserShare(given, sample))
  const browserSeconds = browserPages === null ? null : browserPages * assumedBrowserSeconds
  const hasPrice = prices.perGb > 0 || prices.perBrowserHour > 0
  const spent =
    bytes !== null && browserSeconds !== null
      ? spentOf({ pages: 0, bytes, browserMs: browserSeconds * 1_000 }, prices)
      : null
  return {
    // If all pages are known, use the time of the whole job. A time per page would be wrong, because the hosts need
    // different times.
    seconds: count === null ? null : Math.round(known >= count ? wholeSeconds * share : perPage * count),
    secondsPerThousandPages: Math.round(perPage * 1_000),
    why: whyOf(hosts, wholeSeconds, sample.millisecondsPerPage),
    ...{ bytes, browserPages, browserSeconds },
    money: hasPrice && spent ? Math.round(spent.money * 100) / 100 : null,
  }
}

/** The duration of the job. Hosts are fetched in parallel, each at its own rate, and share the limit of requests in flight. */
function secondsFor(
  hosts: readonly HostPlan[],
  msPerPage: number,
  pages: number,
  concurrency: number,
): number {
  const slowest = hosts.reduce((most, host) => Math.max(most, secondsAt(host)), 0)
  return Math.max(slowest, (pages * msPerPage) / 1_000 / concurrency)
}

/** A text that explains what the time depends on. */
function whyOf(hosts: readonly HostPlan[], wholeSeconds: number, msPerPage: number): string {
  const [slowest] = hosts.toSorted((a, b) => secondsAt(b) - secondsAt(a))
  if (!slowest || slowest.rate === 'unlimited' || secondsAt(slowest) < wholeSeconds)
    return `there is no rate limit; a page takes ${msPerPage} ms`
  const { host, rate, crawlDelayMs } = slowest
  const pages = slowest.pages === 1 ? '1 page' : `${slowest.pages} pages`
  if (crawlDelayMs !== null && rate <= 1_000 / crawlDelayMs)
    return `${pages} of ${host}, whose robots.txt asks for a Crawl-delay of ${formatDuration(crawlDelayMs)}`
  return `${pages} of ${host} at ${formatRate(rate)}; --rate changes it`
}

const secondsAt = ({ pages, rate }: HostPlan): number => (rate === 'unlimited' ? 0 : pages / rate)

function browserShare(given: GivenSpec, { ok, needBrowser }: JobPlan['sample']): number {
  const mode = renderModeOf(given)
  if (mode === 'always') return 1
  return mode === 'never' || ok === 0 ? 0 : needBrowser / ok
}

function notesOf(
  given: GivenSpec,
  { count: found }: PlanTargets,
  { needBrowser, ok, failures, pages }: JobPlan['sample'],
  count: number | null,
): string[] {
  const walls = Object.entries(failures).filter(([reason]) => reason.startsWith('blocked.'))
  const isNever = renderModeOf(given) === 'never'
  return [
    ...(needBrowser > 0 && isNever
      ? [
          `${needBrowser} of ${ok} pages look empty without a browser; with render: auto, a browser would load them`,
        ]
      : []),
    ...(walls.length > 0
      ? [
          `the job would meet walls: ${walls.map(([reason, times]) => `${times} of ${pages} sample pages ended as ${reason}`).join(', ')}`,
        ]
      : []),
    ...(found !== null && count !== null && count < found
      ? [`${found} pages are known; the job's limit is ${count}`]
      : []),
    ...(found === null && count !== null ? [`the job would stop after ${count} pages`] : []),
    `the estimate assumes ${assumedBrowserSeconds} s of browser time per page and ignores allowed hours of hosts`,
  ]
}
