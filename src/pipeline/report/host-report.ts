// The report on a host: its policy, its state, its robots.txt and its errors.
import { HostTable, type HostView, type KnownHostPolicy } from '../../dispatch/host-table.ts'
import { parseRobots, productTokenOf, type RobotsRules } from '../../dispatch/robots/index.ts'
import type { HostOverride } from '../../model/conduct.ts'
import type { BreakerState, HostState, RobotsEntry } from '../../model/host.ts'
import { type HostPolicy, hostPolicy, type Rate } from '../../model/policy/policy.ts'
import type { Store } from '../../ports/store.ts'
import type { CrawlList } from '../coordinate/crawl-list.ts'

export interface HostReportParts {
  store: Store
  /** The host table of this process, if it has one. For hosts that are not in the table, the stored state is used. */
  hosts?: HostTable
  policyFor: (host: string) => KnownHostPolicy
  crawlList: CrawlList
  userAgent: string
  now: number
}

export interface HostReport {
  host: string
  /** Whether the host had requests or has an override. Otherwise the report shows the defaults. */
  isKnown: boolean
  policy: HostPolicy
  /** The current limit of requests per second, for a job without its own rate. */
  rateNow: Rate
  /** Below 1 while the host is slowed down after a 429. */
  rateFactor: number
  crawlDelayMs: number | null
  /** A pause by the operator. `until` is null if it lasts until the host is resumed. */
  paused: { until: number | null; reason: string | null; by: string; at: number } | null
  override: HostOverride | null
  /** Why no job may request the host; null if jobs may request it. */
  denied: string | null
  breaker: { state: BreakerState; until: number | null }
  inFlight: number
  waits: HostView['waits']
  requests: number
  failures: number
  lastError: { code: string; at: number | null } | null
  robots: RobotsSummary[]
}

interface RobotsSummary {
  origin: string
  verdict: RobotsEntry['verdict']
  status: number | null
  /** Whether robots.txt allows the front page, and the rule that decides; null if unknown. */
  frontPage: { allowed: boolean; rule: string | null } | null
  crawlDelayMs: number | null
  fetchedAt: number
  expiresAt: number
}

export async function hostReport(parts: HostReportParts, host: string): Promise<HostReport> {
  const { conduct, hosts } = parts.store
  const [override = null] = await conduct.overrides(host)
  return reportOf(parts, host, await hosts.get(host), override)
}

/** Reports of hosts in the order of their names. `after` is the last host of the previous page. */
export async function listHostReports(
  parts: HostReportParts,
  page: { after: string; limit: number },
): Promise<HostReport[]> {
  const overrides = new Map((await parts.store.conduct.overrides()).map(entry => [entry.host, entry]))
  const states = new Map((await parts.store.hosts.list(page)).map(state => [state.host, state]))
  const last = states.size === page.limit ? [...states.keys()].at(-1)! : null
  const onlySet = [...overrides.keys()].filter(
    host => host > page.after && (last === null || host < last) && !states.has(host),
  )
  const names = [...states.keys(), ...onlySet].sort(byCodeUnit).slice(0, page.limit)
  return Promise.all(
    names.map(host => reportOf(parts, host, states.get(host) ?? null, overrides.get(host) ?? null)),
  )
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

async function reportOf(
  parts: HostReportParts,
  host: string,
  state: HostState | null,
  override: HostOverride | null,
): Promise<HostReport> {
  const robots = await robotsOf(parts, host)
  const view = viewOf(parts, host, state)
  const crawlDelayMs = view.crawlDelayMs ?? longest(robots.map(entry => entry.crawlDelayMs))
  const policy = hostPolicy.parse(
    Object.fromEntries(Object.entries(view.policy).filter(([name]) => name in hostPolicy.shape)),
  )
  const { rateFactor, inFlight, waits } = view
  return {
    isKnown: state !== null || override !== null || parts.hosts?.knows(host) === true,
    ...{ host, policy, rateFactor, crawlDelayMs, override, inFlight, waits, robots },
    rateNow: rateNow(policy, rateFactor, crawlDelayMs),
    paused: pauseOf(override, parts.now),
    denied: parts.crawlList.refusalOfHost(host),
    breaker: {
      state: view.breaker,
      until: view.breaker === 'open' ? view.state.breakerUntil : null,
    },
    requests: view.state.requests,
    failures: view.state.failures,
    lastError: view.state.lastError ? { code: view.state.lastError, at: view.state.lastErrorAt } : null,
  }
}

/** The current view of a host. If this process has not loaded the host, the view is made from the stored state. */
function viewOf({ hosts, policyFor, now }: HostReportParts, host: string, state: HostState | null): HostView {
  const known = hosts?.view(host, now)
  if (known) return known
  const table = new HostTable({ policyFor })
  if (state) table.restore(state)
  // This call creates the entry of the host in the table. Its result is not needed.
  else table.robotsOf(host)
  return table.view(host, now)!
}

function rateNow({ rate, crawlDelayCapMs }: HostPolicy, factor: number, crawlDelayMs: number | null): Rate {
  const delayMs = Math.min(crawlDelayMs ?? 0, crawlDelayCapMs)
  const byDelay = delayMs > 0 ? 1_000 / delayMs : Number.POSITIVE_INFINITY
  const byRate = rate === 'unlimited' ? Number.POSITIVE_INFINITY : rate * factor
  const least = Math.min(byDelay, byRate)
  return Number.isFinite(least) ? Math.round(least * 1_000) / 1_000 : 'unlimited'
}

function pauseOf(override: HostOverride | null, now: number): HostReport['paused'] {
  if (!override || override.pausedUntil <= now) return null
  const { pausedUntil, pauseReason: reason, by, at } = override
  return { until: pausedUntil === Number.MAX_SAFE_INTEGER ? null : pausedUntil, reason, by, at }
}

async function robotsOf({ store, userAgent }: HostReportParts, host: string): Promise<RobotsSummary[]> {
  const entries = await Promise.all(
    ['https', 'http'].map(scheme => store.hosts.robots(`${scheme}://${host}`)),
  )
  return entries.flatMap(entry => (entry ? [summaryOf(entry, userAgent)] : []))
}

function summaryOf(entry: RobotsEntry, userAgent: string): RobotsSummary {
  const { origin, verdict, status, fetchedAt, expiresAt } = entry
  const rules = verdict === 'parsed' ? parseRobots(entry.body, productTokenOf(userAgent)) : null
  const frontPage = frontPageOf(entry, rules)
  const crawlDelayMs = rules?.crawlDelayMs ?? null
  return { origin, verdict, status, frontPage, crawlDelayMs, fetchedAt, expiresAt }
}

function frontPageOf(
  { origin, verdict }: RobotsEntry,
  rules: RobotsRules | null,
): RobotsSummary['frontPage'] {
  if (verdict === 'unreachable') return { allowed: false, rule: null }
  const judged = rules?.isAllowed(`${origin}/`)
  return { allowed: judged?.allowed ?? true, rule: judged?.rule ?? null }
}

const longest = (delays: Array<number | null>): number | null =>
  delays.reduce<number | null>((most, delay) => (delay === null ? most : Math.max(most ?? 0, delay)), null)
