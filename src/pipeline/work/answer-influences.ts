// The cache key of a response. These tables list how each field of a job, its policy and its tasks influences the
// response. A new field without an entry does not compile.

import { hash } from 'node:crypto'
import { headersForAll } from '../../fetch/http/index.ts'
import { lowerCaseNames } from '../../lib/text/lower-case-names.ts'
import type { JobSpec } from '../../model/job.ts'
import type { LaneJob } from '../../model/lane.ts'
import type { ExecutionPolicy } from '../../model/policy/policy.ts'
import { type IdentityPolicy, identityPolicy, type ProxyPolicy } from '../../model/policy/proxy.ts'
import { renderModeOf } from '../../model/policy/render-mode.ts'
import type { BrowserPolicy } from '../../model/policy/rendering.ts'
import type { LeasedTask } from '../../model/task.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import { makerPrint } from './record-maker.ts'

/** How a field influences the response. `key`: it changes the response, so it is in the cache key. `personal`: if the
 *  field is set, the response is not cached. `parts`: another table lists its own fields. `none`: no influence, with
 *  the reason. */
export type Influence = 'key' | 'personal' | 'parts' | { none: string }

const none = (why: string): Influence => ({ none: why })
const whichPages = none('selects pages, does not change their content')
const whenAndWhere = none('only affects timing and outputs')
const ifAtAll = none('decides about success; failures are not cached')

export const influencesOfSpec = {
  jobId: none('a name'),
  urls: whichPages,
  items: whichPages,
  seedUrls: whichPages,
  sitemapUrl: whichPages,
  uploadId: whichPages,
  urlColumn: whichPages,
  policyColumn: whichPages,
  depth: whichPages,
  maxPages: whichPages,
  allowedDomains: whichPages,
  subdomains: whichPages,
  include: whichPages,
  exclude: whichPages,
  sitemap: whichPages,
  order: whichPages,
  nofollow: whichPages,
  dedupe: whichPages,
  query: none('only affects which links are the same page'),
  scraperId: 'key',
  extract: 'key',
  llm: 'key',
  llmTokens: 'key',
  pii: 'key',
  render: 'key',
  rendering: 'key',
  browser: 'key',
  actions: 'personal',
  session: 'personal',
  headers: 'parts',
  userAgent: none('compared as the lane sends it'),
  cookiesFile: none('compared as the cookies in it'),
  maxAgeMs: none('only limits the age of a cached response'),
  timeoutMs: ifAtAll,
  concurrency: whenAndWhere,
  policy: 'parts',
  policyFrom: none('only names the sources of policy values'),
  results: whenAndWhere,
  output: whenAndWhere,
  retention: whenAndWhere,
  webhookUrl: whenAndWhere,
  labels: none('names for the caller'),
} as const satisfies Record<keyof JobSpec, Influence>

export const influencesOfPolicy = {
  throttle: whenAndWhere,
  timeouts: ifAtAll,
  retries: ifAtAll,
  answerWithinMs: ifAtAll,
  outageMs: ifAtAll,
  patienceMs: ifAtAll,
  breaker: ifAtAll,
  // A redirect may lead to a page that robots.txt disallows.
  robots: 'key',
  host: whenAndWhere,
  hours: whenAndWhere,
  maxBytes: ifAtAll,
  maxRecordBytes: ifAtAll,
  errorPages: ifAtAll,
  browser: 'parts',
  blocks: ifAtAll,
  limits: ifAtAll,
  prices: ifAtAll,
  proxy: 'parts',
  identity: 'parts',
  render: 'key',
} as const satisfies Record<keyof ExecutionPolicy, Influence>

export const influencesOfProxy = {
  use: 'key',
  urls: 'key',
  provider: 'key',
  type: 'key',
  country: 'key',
  state: 'key',
  city: 'key',
  rotation: whenAndWhere,
  restMs: whenAndWhere,
} as const satisfies Record<keyof ProxyPolicy, Influence>

export const influencesOfIdentity = {
  headers: 'personal',
  tls: 'personal',
  browser: 'personal',
  count: 'personal',
  usesBeforeRest: whenAndWhere,
  restMs: whenAndWhere,
  maxAgeMs: whenAndWhere,
  maxFailures: whenAndWhere,
} as const satisfies Record<keyof IdentityPolicy, Influence>

export const influencesOfBrowser = {
  isolation: 'key',
  navigationMs: ifAtAll,
  settleMs: 'key',
  taskMs: ifAtAll,
  keepOnFailure: ifAtAll,
} as const satisfies Record<keyof BrowserPolicy, Influence>

const influencesOfLane = {
  id: none('a name'),
  kind: whichPages,
  workspace: 'key',
  spec: 'parts',
  userAgent: 'key',
  cookies: 'personal',
  storage: 'personal',
  sessionCookies: 'personal',
  slots: whenAndWhere,
  inFlight: whenAndWhere,
  traceparent: none('only for observers'),
  browserVersion: 'key',
  // If no browser is available, `auto` uses the page as fetched over HTTP.
  noBrowser: 'key',
  llmLedger: ifAtAll,
} as const satisfies Record<keyof LaneJob, Influence>

const influencesOfTask = {
  jobId: none('a name'),
  n: none('a name'),
  itemId: none('a name'),
  attempt: none('the same for every attempt'),
  charged: none('the same for every attempt'),
  kind: none('only pages have cached responses'),
  url: 'key',
  host: none('is in the URL'),
  depth: whichPages,
  priority: whenAndWhere,
  // Only scrapers with code read the input row; `answerKey` removes it for rules.
  input: 'key',
  policy: none('compared as the effective policy of the task'),
  overrides: none('compared as the effective policy of the task, and by its render mode'),
  waitsOutOutage: ifAtAll,
  way: none('the job’s `render` decides it'),
  wayWhy: none('the job’s `render` decides it'),
  trace: none('only for observers'),
} as const satisfies Record<keyof LeasedTask, Influence>

/** All values that a response can depend on. */
interface AnswerInfluences {
  lane: LaneJob
  task: LeasedTask
  /** The effective policy of the task: of its job, its domain and the task itself. */
  policy: ExecutionPolicy
  scraper: Scraper
}

/** The cache key of the response. Null if the response is personal. Such a response is not cached, because other jobs
 *  must not use it. */
export function answerKey({ lane, task, policy, scraper }: AnswerInfluences): string | null {
  const { spec } = lane
  const personal = [
    ...valuesOf(influencesOfLane, lane, 'personal'),
    ...valuesOf(influencesOfSpec, spec, 'personal'),
    ...valuesOf(influencesOfIdentity, unusual(policy.identity), 'personal'),
  ]
  const headers = headersForAll(lowerCaseNames(spec.headers))
  const hasSecrets = Object.keys(headers).length < Object.keys(spec.headers).length
  if (personal.length > 0 || hasSecrets || scraper.credentials !== undefined) return null
  return printOf([
    makerPrint(spec, scraper),
    Object.entries(headers).sort(),
    valuesOf(influencesOfLane, lane, 'key'),
    // Use the effective render mode: a missing mode means `never`.
    valuesOf(influencesOfSpec, { ...spec, render: renderModeOf(spec) }, 'key'),
    valuesOf(influencesOfPolicy, policy, 'key'),
    valuesOf(influencesOfProxy, policy.proxy ?? {}, 'key'),
    // Without a browser, the browser settings do not matter.
    renderModeOf(spec) === 'never' ? null : valuesOf(influencesOfBrowser, policy.browser, 'key'),
    // Rules only use the page; code uses the input row as well.
    valuesOf(influencesOfTask, scraper.run ? task : { ...task, input: null }, 'key'),
    task.overrides?.rendering ?? null,
  ])
}

/** The values of all fields with this influence that are set, in the order of the table. */
function valuesOf<Table extends Record<string, Influence>>(
  table: Table,
  values: Partial<Record<keyof Table, unknown>>,
  meaning: Influence,
): unknown[] {
  return Object.keys(table)
    .filter(name => table[name] === meaning && (values[name] ?? null) !== null)
    .map(name => [name, values[name]])
}

const usualIdentity = identityPolicy.parse({})

/** The values that differ from the default. A job without an identity policy (from an old version) counts as default. */
const unusual = (identity: Partial<IdentityPolicy> = {}): Partial<IdentityPolicy> =>
  Object.fromEntries(
    Object.entries(identity).filter(([name, value]) => value !== usualIdentity[name as keyof IdentityPolicy]),
  )

const printOf = (parts: unknown[]): string => hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22)
