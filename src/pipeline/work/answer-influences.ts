// What an answer depends on. Each field of a job, its policy and its tasks has one of four meanings here; a field without one does not
// compile. The key of a remembered answer is made of these tables alone.
import { hash } from 'node:crypto'
import { headersForAll } from '../../fetch/http/index.ts'
import { defaultWorkspace } from '../../model/access.ts'
import type { JobSpec } from '../../model/job.ts'
import type { LaneJob } from '../../model/lane.ts'
import type { ExecutionPolicy } from '../../model/policy/policy.ts'
import { type IdentityPolicy, identityPolicy, type ProxyPolicy } from '../../model/policy/proxy.ts'
import { renderModeOf } from '../../model/policy/render-mode.ts'
import type { BrowserPolicy } from '../../model/policy/rendering.ts'
import type { LeasedTask } from '../../model/task.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import { makerPrint } from './record-maker.ts'

/**
 * `key`: answers differ by it, so it is in the key. `personal`: an answer that it had a part in is shared with no other job. `parts`: its
 * own fields are in another table. `none`: answers do not differ by it, with the reason.
 */
export type Influence = 'key' | 'personal' | 'parts' | { none: string }

const none = (why: string): Influence => ({ none: why })
const whichPages = none('says which pages there are, not what is in them')
const whenAndWhere = none('says when pages are asked for and where records go')
const ifAtAll = none('decides whether there is an answer; failures are not remembered')

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
  query: none('says which links lead to the same page'),
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
  maxAgeMs: none('says how old an answer may be'),
  timeoutMs: ifAtAll,
  concurrency: whenAndWhere,
  policy: 'parts',
  policyFrom: none('says where the values of the policy came from'),
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
  // What redirects may lead through.
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
  sessionCookies: 'personal',
  slots: whenAndWhere,
  inFlight: whenAndWhere,
  traceparent: none('for those who watch'),
  browserVersion: 'key',
  // Then `auto` takes the plain page.
  noBrowser: 'key',
  llmLedger: ifAtAll,
} as const satisfies Record<keyof LaneJob, Influence>

const influencesOfTask = {
  jobId: none('a name'),
  n: none('a name'),
  itemId: none('a name'),
  attempt: none('an answer counts from whichever attempt'),
  charged: none('an answer counts from whichever attempt'),
  kind: none('only pages have answers'),
  url: 'key',
  host: none('is in the URL'),
  depth: whichPages,
  priority: whenAndWhere,
  // Of no influence where rules alone read the page; see `makerOf`.
  input: 'key',
  policy: none('compared as the policy that holds for the task'),
  overrides: none('compared as the policy that holds for the task, and by its rendering'),
  waitsOutOutage: ifAtAll,
  way: none('the job’s `render` decides it'),
  wayWhy: none('the job’s `render` decides it'),
  trace: none('for those who watch'),
} as const satisfies Record<keyof LeasedTask, Influence>

/** Everything that an answer can depend on. */
interface AnswerInfluences {
  lane: LaneJob
  task: LeasedTask
  /** As it holds for the task: the job's, its domain's and its own. */
  policy: ExecutionPolicy
  scraper: Scraper
}

/** What the answer is remembered by; null where something personal has a part in it, so that nobody else may have it. */
export function answerKey({ lane, task, policy, scraper }: AnswerInfluences): string | null {
  const { spec } = lane
  const personal = [
    ...valuesOf(influencesOfLane, lane, 'personal'),
    ...valuesOf(influencesOfSpec, spec, 'personal'),
    ...valuesOf(influencesOfIdentity, unusual(policy.identity), 'personal'),
  ]
  const headers = headersForAll(lowerCased(spec.headers))
  const hasSecrets = Object.keys(headers).length < Object.keys(spec.headers).length
  if (personal.length > 0 || hasSecrets || scraper.credentials !== undefined) return null
  return printOf([
    makerPrint(spec, scraper),
    Object.entries(headers).sort(),
    valuesOf(influencesOfLane, { ...lane, workspace: lane.workspace ?? defaultWorkspace }, 'key'),
    // A job that says `never` is like one that says nothing.
    valuesOf(influencesOfSpec, { ...spec, render: renderModeOf(spec) }, 'key'),
    valuesOf(influencesOfPolicy, policy, 'key'),
    valuesOf(influencesOfProxy, policy.proxy ?? {}, 'key'),
    // A job without a browser does not differ by how one would be used.
    renderModeOf(spec) === 'never' ? null : valuesOf(influencesOfBrowser, policy.browser, 'key'),
    // Rules only see the page; code sees the row as well.
    valuesOf(influencesOfTask, scraper.run ? task : { ...task, input: null }, 'key'),
    task.overrides?.rendering ?? null,
  ])
}

/** The values with this meaning that there are, in the order of the table. */
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

/** What a job from before there were identities has no word on is as usual. */
const unusual = (identity: Partial<IdentityPolicy> = {}): Partial<IdentityPolicy> =>
  Object.fromEntries(
    Object.entries(identity).filter(([name, value]) => value !== usualIdentity[name as keyof IdentityPolicy]),
  )

const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const printOf = (parts: unknown[]): string => hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22)
