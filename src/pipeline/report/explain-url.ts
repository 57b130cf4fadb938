// Explains a URL in a job: fetched, skipped or waiting, by which rule and for which reason.

import { parseRobots, productTokenOf } from '../../dispatch/robots/index.ts'
import { canonicalUrl, givenUrl, hostOf, textKey, urlKey } from '../../frontier/canonical-url.ts'
import { compileScope } from '../../frontier/scope.ts'
import { suspiciousShape } from '../../frontier/traps.ts'
import { sourceText } from '../../lib/field-sources.ts'
import { taskPages } from '../../lib/list-pages.ts'
import { formatDuration } from '../../lib/text/units.ts'
import { Failure } from '../../model/failures.ts'
import { taskId } from '../../model/ids.ts'
import type { Job } from '../../model/job.ts'
import type { Provenance } from '../../model/record.ts'
import { remedyOf } from '../../model/remedies.ts'
import type { Attempt, Reason, Task } from '../../model/task.ts'
import type { Store } from '../../ports/store.ts'
import { artifactFile } from '../../results/artifacts.ts'
import type { CrawlList } from '../coordinate/crawl-list.ts'
import { hostTrouble } from '../coordinate/hosts/host-trouble.ts'
import { originOf } from '../coordinate/hosts/robots-gate.ts'
import { robotsToldTo } from '../coordinate/hosts/robots-reader.ts'
import { type PolicyContext, policyOfUrl } from './explain-policy.ts'
import type { PolicyValue } from './policy-report.ts'

interface ExplainParts extends PolicyContext {
  store: Store
  userAgent: string
  crawlList: CrawlList
  now: number
}

export interface Explanation {
  /** The URL in the job's canonical form; null for a row without a URL. */
  url: string | null
  task_id: string | null
  state: Task['state'] | null
  reason: Reason | null
  /** The explanation as lines of text, most important first. */
  lines: string[]
  /** The policy values that apply to the URL, or would apply. */
  policy: PolicyValue[]
}

export async function explainUrl(parts: ExplainParts, job: Job, raw: string): Promise<Explanation> {
  const url = canonicalUrl(raw, { query: job.spec.query })
  const task = await findTask(parts.store, job, url, raw)
  if (task) return explainTask(parts, job, task, url, raw)
  if (!url)
    throw new Failure(
      'input.invalid',
      `"${raw}" is neither a URL like https://example.com/ nor an item of job ${job.id}`,
    )
  const { reason, why } = notInJob(parts, job, url)
  const lines = [...spelling(url, raw), `not in the job: ${why}`, ...(await robotsLines(parts, job, url))]
  return { url, task_id: null, state: null, reason, ...withPolicy(parts, job, hostOf(url), null, lines) }
}

/** Finds a task by URL or by the caller's item id. For a list, also searches all rows, because the key of a row may differ
 *  from its URL. */
async function findTask(store: Store, job: Job, url: string | null, raw: string): Promise<Task | null> {
  const known =
    (await findByUrl(store, job, givenUrl(raw))) ??
    (await findByUrl(store, job, url)) ??
    (await store.tasks.find(job.id, textKey(raw)))
  return known ?? (job.kind === 'list' ? lookThrough(store, job.id, givenUrl(raw)) : null)
}

const findByUrl = (store: Store, job: Job, url: string | null): Promise<Task | null> | null =>
  url === null ? null : store.tasks.find(job.id, urlKey(url))

const pageSize = 1_000

async function lookThrough(store: Store, jobId: string, url: string | null): Promise<Task | null> {
  if (url === null) return null
  for await (const tasks of taskPages(store.tasks, jobId, { limit: pageSize })) {
    const found = tasks.find(task => task.url === url)
    if (found) return found
  }
  return null
}

async function explainTask(
  parts: ExplainParts,
  job: Job,
  task: Task,
  url: string | null,
  raw: string,
): Promise<Explanation> {
  const attempts = await parts.store.tasks.attempts(job.id, task.n)
  const lines = [
    ...(task.url ? difference(task.url, raw, url) : []),
    headline(task),
    ...remedyLines(task),
    ...(await duplicateLines(parts, task)),
    ...(await parentLines(parts, job, task)),
    ...attempts.map(attemptLine),
    ...(await provenanceLines(parts, task)),
    ...(await waitLines(parts, task)),
    ...(task.url ? await robotsLines(parts, job, task.url) : []),
  ]
  return {
    url: task.url || null,
    task_id: taskId(job.id, task.n),
    state: task.state,
    reason: task.reason,
    ...withPolicy(parts, job, task.host, task, lines),
  }
}

/** Adds the policy. The text lines omit values that are the default. */
function withPolicy(
  parts: ExplainParts,
  job: Job,
  host: string,
  task: Task | null,
  lines: string[],
): Pick<Explanation, 'lines' | 'policy'> {
  const policy = policyOfUrl(parts, job, host, task)
  const told = policy.filter(({ from, path }) => from !== 'default' || path === 'host.rate')
  const said = told.map(({ path, value, from }) => `${path} ${textOf(value)} (${from})`)
  return { lines: [...lines, `policy: ${said.join(', ')}; the rest are defaults`], policy }
}

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

const spelling = (url: string, raw: string): string[] => (url === raw ? [] : [`canonical form: ${url}`])

/** How the requested URL differs from the URL of the task. */
function difference(taskUrl: string, raw: string, canonical: string | null): string[] {
  if (canonical === null || taskUrl === raw || taskUrl === givenUrl(raw)) return []
  return taskUrl === canonical ? spelling(canonical, raw) : [`${taskUrl} redirects to this URL`]
}

const stateWords: Record<Task['state'], string> = {
  pending: 'waiting',
  queued: 'about to be fetched',
  in_progress: 'being fetched',
  succeeded: 'fetched',
  failed: 'failed',
  skipped: 'skipped',
  cancelled: 'cancelled',
}

/** What a reason means, for tasks without a message. */
const meanings: Partial<Record<Reason, string>> = {
  'budget.max-pages': 'the job reached its page limit first',
  'scope.listed': 'a map lists pages and does not fetch them',
  'job.cancelled': 'the job was cancelled first',
  'host.denied': 'its host was put on the do-not-crawl list first',
  'duplicate.canonical': 'its page names a canonical URL that another page already has',
  'duplicate.content': 'its body is the same as that of another page',
}

function headline({ jobId, n, state, reason, message }: Task): string {
  const word = state === 'pending' && reason ? 'waiting for a retry' : stateWords[state]
  const why = message ?? (reason ? meanings[reason] : undefined)
  return `${taskId(jobId, n)}: ${word}${reason && reason !== 'ok' ? `, ${reason}` : ''}${why ? `: ${why}` : ''}`
}

/** The remedy for a failed or skipped task. A waiting task has none, because it may still succeed. */
const remedyLines = ({ state, reason }: Task): string[] => {
  const way = state === 'failed' || state === 'skipped' ? remedyOf(reason) : null
  return way ? [`what to do: ${way}`] : []
}

async function duplicateLines({ store }: ExplainParts, { jobId, duplicateOf }: Task): Promise<string[]> {
  if (duplicateOf === null) return []
  const other = await store.tasks.get(jobId, duplicateOf)
  return [`duplicate of ${taskId(jobId, duplicateOf)}${other ? `, ${other.url}` : ''}`]
}

async function parentLines({ store }: ExplainParts, job: Job, task: Task): Promise<string[]> {
  const depth = job.kind === 'list' ? '' : `depth ${task.depth}: `
  if (task.parent === null && task.kind === 'sitemap' && !job.spec.sitemapUrl)
    return ['a sitemap: listed in robots.txt, or the default /sitemap.xml']
  if (task.parent === null) return [`${depth}named by the job${task.itemId ? ` as item ${task.itemId}` : ''}`]
  const parent = await store.tasks.get(job.id, task.parent)
  const where = parent?.kind === 'sitemap' ? 'listed by the sitemap' : 'linked from'
  return [`${depth}${where} ${parent?.url ?? taskId(job.id, task.parent)}`]
}

function attemptLine(one: Attempt): string {
  const { attempt, startedAt, endedAt, outcome, status, message } = one
  const at = new Date(startedAt).toISOString()
  const answer = status === null ? '' : `, HTTP ${status}`
  const files = one.artifacts.map(artifactFile)
  const beside = files.length > 0 ? `, stored ${files.join(', ')}` : ''
  const way = one.way === 'browser' ? ' by browser' : ''
  const took = `${endedAt - startedAt} ms`
  return `attempt ${attempt}${way} at ${at}: ${outcome}${answer}, ${took}${message ? ` (${message})` : ''}${beside}`
}

/** The source of each field, and why a field is null. */
async function provenanceLines({ store }: ExplainParts, task: Task): Promise<string[]> {
  const records = await store.records.ofTask(task.jobId, task.n)
  return records.flatMap(record => {
    const sources = JSON.parse(record.provenance ?? '{}') as Provenance
    return Object.entries(sources)
      .filter(([, { from, why }]) => from !== 'page' && !(from === 'none' && !why))
      .map(([field, source]) => `field ${field}: ${sourceText(source)}`)
  })
}

async function waitLines({ store, now }: ExplainParts, task: Task): Promise<string[]> {
  if (task.state !== 'pending' && task.state !== 'queued') return []
  const lines =
    task.notBefore > now
      ? [`its next attempt is in ${formatDuration(Math.ceil((task.notBefore - now) / 1_000) * 1_000)}`]
      : []
  if (task.host === '') return lines
  const host = await store.hosts.get(task.host)
  if (host) lines.push(...hostTrouble(host, now))
  return lines.length > 0
    ? lines
    : [`waits for a slot at ${task.host}${host ? '' : ', which has had no request yet'}`]
}

function notInJob(
  { crawlList }: ExplainParts,
  job: Job,
  url: string,
): { reason: Reason | null; why: string } {
  if (job.kind === 'list') return { reason: null, why: 'no row has this URL' }
  const denied = crawlList.refusalOf(hostOf(url), url)
  if (denied !== null) return { reason: 'host.denied', why: `host.denied, ${denied}` }
  const verdict = compileScope(job.spec).allows(url, 0)
  if (!verdict.ok) return { reason: verdict.reason, why: `${verdict.reason}, by the rule: ${verdict.rule}` }
  const trap = suspiciousShape(url)
  if (trap) return { reason: 'trap.suspected', why: `trap.suspected, ${trap}` }
  const tooDeep =
    job.spec.depth === undefined ? '' : `, or only from pages more than ${job.spec.depth} links away (depth)`
  return { reason: null, why: `never found: it is in scope, but no parsed page links to it${tooDeep}` }
}

async function robotsLines({ store, userAgent }: ExplainParts, job: Job, url: string): Promise<string[]> {
  const host = hostOf(url)
  if (job.spec.policy.robots === 'ignore') return ['robots.txt: the job ignores it']
  const entry = await robotsToldTo(store.hosts, job, originOf(url))
  if (!entry) return [`robots.txt of ${host}: not fetched yet`]
  if (entry.verdict !== 'parsed')
    return [`robots.txt of ${host}: ${entry.verdict}${entry.status ? ` (HTTP ${entry.status})` : ''}`]
  const { allowed, rule } = parseRobots(entry.body, productTokenOf(userAgent)).isAllowed(url)
  return [
    `robots.txt of ${host}: ${allowed ? 'allowed' : 'disallowed'}${rule ? ` by "${rule}"` : ', no rule matches'}`,
  ]
}
