// Submits a job: checks the whole spec and stores the job with its first tasks before the caller gets a response.

import { compileRules } from '../../extract/rules/index.ts'
import { deviceOf } from '../../fetch/browser/identity/devices.ts'
import type { EgressGate } from '../../fetch/http/index.ts'
import type { OperatorProxies } from '../../fetch/proxies/job-proxies.ts'
import { givenUrl, hostOf, textKey, urlKey } from '../../frontier/canonical-url.ts'
import { compileScope } from '../../frontier/scope.ts'
import { refuseItemIds } from '../../jobs/item-ids.ts'
import { kindOf, newJobId, nothingToIngest, refuseFollowing } from '../../jobs/plan-job.ts'
import { plannedRendering, withRenderPolicy } from '../../jobs/plan-rendering.ts'
import { protoKeyIn, reservedKey } from '../../lib/json/reserved-keys.ts'
import { inTurns } from '../../lib/polite-work.ts'
import { type Problem, problemsOf } from '../../lib/text/problems.ts'
import { noTraces } from '../../lib/traces/no-traces.ts'
import { anotherSpan, isSampled } from '../../lib/traces/trace-context.ts'
import { defaultWorkspace } from '../../model/access.ts'
import type { ConductNote } from '../../model/conduct.ts'
import type { ExtractionRules } from '../../model/extraction-rules.ts'
import { Failure } from '../../model/failures.ts'
import {
  type GivenSpec,
  givenSpec,
  type Job,
  type JobKind,
  type JobOrigin,
  type JobSpec,
  jobSpec,
} from '../../model/job.ts'
import { camel, mapKeys, snake } from '../../model/letter-case.ts'
import { actionFields, startUrlOf } from '../../model/page/actions.ts'
import { type PiiMode, usualPii } from '../../model/personal-data.ts'
import {
  executionPolicy,
  jobBreaker,
  limits,
  prices,
  retries,
  timeouts,
  wasteGuard,
} from '../../model/policy/policy.ts'
import { browserPolicy, rendering } from '../../model/policy/rendering.ts'
import { idsIn } from '../../model/scraper-ids.ts'
import { issueLines, type StandardSchema } from '../../model/standard-schema.ts'
import type { NewTask } from '../../model/task.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Sealer } from '../../ports/secrets.ts'
import type { NewJob, Store } from '../../ports/store.ts'
import type { Traces } from '../../ports/traces.ts'
import { browserConnection, notForJobs } from '../../scraper/builtin/browser-connection.ts'
import type { Registry } from '../../scraper/registry.ts'
import { sitemapPriority } from '../coordinate/settle/settle.ts'
import { acceptedSpans } from '../coordinate/spans.ts'
import { conductNotes } from './conduct-notes.ts'
import { inForce, type PolicyRules, rulesFor } from './policy-in-force.ts'
import { refuseProxies } from './refuse-proxies.ts'
import { sealHeaders } from './sealed-headers.ts'

export { inForce } from './policy-in-force.ts'

interface SubmitParts {
  store: Store
  clock: Clock
  gate: EgressGate
  registry: Registry
  /** The operator's rules for policies. */
  policyRules?: PolicyRules
  /** The operator's proxies. */
  operatorProxies?: OperatorProxies | undefined
  /** Seals secret headers. If unset, they are stored in clear text. */
  sealer?: Sealer
  /** Records the trace of the job. If unset, it is not recorded. */
  traces?: Traces
}

export interface SubmitOptions {
  /** Path or key of the file whose rows become tasks after the job is accepted. */
  source?: string
  /** Whether the job is a map, which only collects URLs. */
  map?: boolean
  /** The workspace and the API of the job. Default: the default workspace and the command line. */
  origin?: Partial<JobOrigin>
  idempotency?: NewJob['idempotency']
  tick?: NewJob['tick']
  notes?: ConductNote[]
  /** The span of the request that submits the job. */
  traceparent?: string | undefined
  /** Whether the caller may exceed the operator's ceilings. */
  mayExceed?: boolean
}

/** Parses the body of an API request, in snake_case. */
export function parseJobBody(body: unknown): GivenSpec {
  return parseJobSpec(mapKeys(body, camel))
}

export function parseJobSpec(value: unknown): GivenSpec {
  const reserved = protoKeyIn(value)
  if (reserved !== null) throw reservedKey(reserved)
  const parsed = givenSpec.safeParse(value)
  if (parsed.success) return parsed.data
  const problems = problemsOf(parsed.error, { known: knownFields, spell: snake })
  const lines = problems.map(problem => `${problem.path}: ${problem.message}`)
  throw new Failure('input.invalid', `the job can't be accepted: ${lines.join('; ')}`, {
    path: problems[0]?.path,
    problems,
  })
}

/** Field names of the body and its nested objects, for the suggestions in error messages ("did you mean"). */
const knownFields = [
  ...[jobSpec, executionPolicy, retries, timeouts, jobBreaker, jobSpec.shape.results],
  ...[limits, prices, wasteGuard],
  ...[rendering, browserPolicy],
]
  .flatMap(schema => Object.keys('shape' in schema ? schema.shape : schema.unwrap().shape))
  .concat(actionFields)

export async function submitJob(
  parts: SubmitParts,
  given: GivenSpec,
  options: SubmitOptions = {},
): Promise<Job> {
  const { source, idempotency, tick, notes } = options
  const startedAt = parts.clock.now()
  const pii = usualPiiFor(parts, options.origin)
  const { spec, kind, tasks } = await planJob(parts, withoutUserInfo(given), options)
  const id = spec.jobId ?? newJobId(kind)
  const ingest = source ? { ...nothingToIngest, source, done: false } : nothingToIngest
  const { traces = noTraces } = parts
  const traceparent = options.traceparent ? anotherSpan(options.traceparent) : traces.own()
  const beside = {
    origin: { ...options.origin, traceparent },
    ...(idempotency && { idempotency }),
    ...(tick && { tick }),
    notes: notes ?? conductNotes(given, parts.registry.providersOf(spec.scraperId), pii, parts.clock.now()),
  }
  const stored = parts.sealer ? sealHeaders(parts.sealer, id, spec) : spec
  const createdAt = parts.clock.now()
  await parts.store.jobs.create({ id, kind, spec: stored, ingest, createdAt, ...beside }, tasks)
  const accepted = {
    ...{ id, kind, traceparent, startedAt, createdAt },
    tasks: tasks.length,
    face: options.origin?.face,
  }
  if (isSampled(traceparent))
    for (const span of acceptedSpans(accepted, options.traceparent, parts.clock.now())) traces.add(span)
  return (await parts.store.jobs.get(id)) as Job
}

export type PlanParts = Pick<SubmitParts, 'gate' | 'registry' | 'policyRules' | 'operatorProxies'>

/** The job as it would run, with its effective policy and its first tasks. Throws if the job is not allowed. Stores nothing. */
export async function planJob(
  parts: PlanParts,
  given: GivenSpec,
  { source, map = false, origin, mayExceed = false }: SubmitOptions = {},
): Promise<{ spec: JobSpec; kind: JobKind; tasks: NewTask[] }> {
  const scraper = parts.registry.get(given.scraperId)
  if (scraper === browserConnection && origin?.face !== 'browsers') throw notForJobs()
  const usual = usualPiiFor(parts, origin)
  const asked = given.pii === undefined && usual !== 'keep' ? { ...given, pii: usual } : given
  const rules = rulesFor(parts.policyRules, origin?.face, mayExceed)
  const spec = plannedRendering(inForce(withRenderPolicy(asked), scraper.policy, rules))
  const isServed = origin?.face !== undefined && origin.face !== 'cli'
  const kind = kindOf(spec, { fromFile: source !== undefined, map, isServed })
  if (kind === 'list' && !scraper.run) refuseFollowing(spec)
  if (spec.policyColumn !== undefined && source === undefined)
    throw new Failure(
      'input.invalid',
      'policy_column: this option is for rows of a file or an upload; for items, set "policy" in each item',
      { path: 'policy_column' },
    )
  refuseItemIds(spec.items ?? [], spec.results.layout)
  if (scraper.input) checkItems(scraper.input, spec.items ?? [])
  if (spec.extract) checkRules(spec.extract)
  if (spec.extract && scraper.run)
    throw new Failure(
      'input.invalid',
      `scraper ${scraper.id} has its own code, so extract rules cannot be used; remove one of the two`,
      { path: 'extract' },
    )
  if (spec.rendering.js !== undefined && scraper.run)
    throw new Failure(
      'input.invalid',
      `scraper ${scraper.id} has its own code, which makes the records, so js cannot be used; remove one of the two`,
      { path: 'rendering.js' },
    )
  if (typeof spec.rendering.mobile === 'string') deviceOf(spec.rendering.mobile)
  compileScope(spec)
  refuseProxies(parts, spec)
  if (spec.webhookUrl) judge(parts.gate, spec.webhookUrl, 'webhook_url')
  return { spec, kind, tasks: await firstTasks(parts, withRowRendering(parts.registry, spec), kind) }
}

/** If a job uses several scrapers, each item gets the render mode of its scraper. A render mode of the job or the item has
 *  priority. */
function withRowRendering(registry: Registry, spec: JobSpec): JobSpec {
  if (idsIn(spec.scraperId).length < 2 || spec.policyFrom?.render === 'job' || !spec.items) return spec
  const items = spec.items.map(item => {
    const { render } = registry.get(String(item.input.target_type)).policy ?? {}
    return render === undefined ? item : { ...item, policy: { render, ...item.policy } }
  })
  return { ...spec, items }
}

/** What happens to personal data if the job does not set `pii`. */
const usualPiiFor = (
  { policyRules }: Pick<PlanParts, 'policyRules'>,
  origin: Partial<JobOrigin> = {},
): PiiMode => (policyRules?.pii ? usualPii(policyRules.pii, origin.workspace ?? defaultWorkspace) : 'keep')

/** Throws if a rule is invalid. The error names its path in the spec. */
function checkRules(rules: ExtractionRules): void {
  try {
    compileRules(rules)
  } catch (error) {
    if (!(error instanceof Failure) || typeof error.details.path !== 'string') throw error
    const path = `extract.${error.details.path}`
    const message = error.message.replace(`${error.details.path}:`, `${path}:`)
    throw new Failure(error.code, message, { ...error.details, path }, { cause: error })
  }
}

async function firstTasks({ gate }: PlanParts, spec: JobSpec, kind: JobKind): Promise<NewTask[]> {
  if (spec.sitemapUrl) return [namedTask(gate, spec.sitemapUrl, 'sitemap', 'sitemap_url')]
  const tasks: NewTask[] = []
  await inTurns(spec.items ?? [], (item, index) => void tasks.push(itemTask(gate, item, spec, index)))
  const path = spec.seedUrls ? 'seed_urls' : 'urls'
  await inTurns(
    spec.seedUrls ?? spec.urls ?? [],
    (url, index) => void tasks.push(namedTask(gate, url, 'page', `${path}[${index}]`)),
  )
  // With `sitemap: only`, the seed URLs only name the sites whose sitemaps are read. The seeds themselves are not fetched.
  return kind === 'crawl' && spec.sitemap === 'only' ? tasks.map(task => asSitemap(task)) : tasks
}

function asSitemap(task: NewTask): NewTask {
  const url = `${new URL(task.url).origin}/sitemap.xml`
  return { ...task, kind: 'sitemap', url, key: urlKey(url), priority: sitemapPriority }
}

function namedTask(gate: EgressGate, raw: string, kind: NewTask['kind'], path: string): NewTask {
  const url = givenUrl(raw)
  if (!url) throw new Failure('input.invalid', `${path}: "${raw}" is not an http or https URL`, { path })
  judge(gate, url, path)
  return {
    ...blankTask,
    key: urlKey(url),
    kind,
    url,
    host: hostOf(url),
    priority: kind === 'sitemap' ? sitemapPriority : 0,
  }
}

/** Throws if the URL has a private address. Without this check, the job would be accepted and each connection would
 *  fail later. */
function judge(gate: EgressGate, url: string, path: string): void {
  try {
    gate.judgeUrl(url)
  } catch (error) {
    const failure = error as Failure
    throw new Failure(
      failure.code,
      `${path}: ${failure.message}`,
      { ...failure.details, path },
      { cause: error },
    )
  }
}

/** Tasks of items that are added to an accepted job. Throws if one is invalid. */
export function itemTasks(
  { gate, registry }: Pick<PlanParts, 'gate' | 'registry'>,
  spec: JobSpec,
  given: readonly unknown[],
): NewTask[] {
  const { items = [] } = parseJobSpec({ scraperId: spec.scraperId, items: given })
  refuseItemIds(items, spec.results.layout)
  const { input } = registry.get(spec.scraperId)
  if (input) checkItems(input, items)
  return items.map((item, index) => itemTask(gate, item, spec, index))
}

function itemTask(
  gate: EgressGate,
  item: NonNullable<JobSpec['items']>[number],
  spec: JobSpec,
  index: number,
): NewTask {
  const input = JSON.stringify(item.input)
  const itemId = item.itemId ?? null
  const own = item.policy ? { policy: JSON.stringify(item.policy) } : {}
  const url = startUrlOf(spec.actions ?? [], item.input) ?? item.input.url
  if (typeof url === 'string')
    return {
      ...namedTask(gate, url, 'page', `items[${index}].input.url`),
      key: textKey(itemId ?? input),
      input,
      itemId,
      ...own,
    }
  return {
    ...blankTask,
    key: textKey(itemId ?? input),
    url: '',
    host: scraperHost(spec.scraperId),
    input,
    itemId,
    ...own,
  }
}

/** The placeholder host of rows without a URL. No rate applies to it; each page that the scraper opens waits for its real host. */
export const scraperHost = (scraperId: string): string => `~${scraperId}`

const blankTask: NewTask = {
  key: 0n,
  kind: 'page',
  url: '',
  host: '',
  depth: 0,
  priority: 0,
  parent: null,
  input: null,
  itemId: null,
}

/** Limit of problems in an error message. If there are more, they usually have the same cause. */
const mostNamed = 20

function checkItems(schema: StandardSchema, items: ReadonlyArray<{ input: unknown }>): void {
  const problems = items.flatMap(({ input }, index) => problemsWith(schema, input, `items[${index}].input`))
  if (problems.length === 0) return
  const named = problems
    .slice(0, mostNamed)
    .map(({ path, message }) => `${path}.${message}`.replace('.(whole)', ''))
  const more = problems.length > mostNamed ? `; and ${problems.length - mostNamed} more` : ''
  throw new Failure('input.invalid', `the job can't be accepted: ${named.join('; ')}${more}`, { problems })
}

function problemsWith(schema: StandardSchema, input: unknown, path: string): Problem[] {
  const result = schema['~standard'].validate(input)
  // An asynchronous schema is checked when the task runs.
  if (result instanceof Promise || !result.issues) return []
  return issueLines(result.issues).map(message => ({ path, message }))
}

/** Removes user and password from all URLs of a job: `https://user:password@host/` becomes `https://host/`. */
function withoutUserInfo(spec: GivenSpec): GivenSpec {
  const { urls, seedUrls, sitemapUrl, items } = spec
  return {
    ...spec,
    ...(urls?.some(hasUserInfo) && { urls: urls.map(plain) }),
    ...(seedUrls?.some(hasUserInfo) && { seedUrls: seedUrls.map(plain) }),
    ...(sitemapUrl !== undefined && { sitemapUrl: plain(sitemapUrl) }),
    ...(items?.some(({ input }) => hasUserInfo(input.url)) && {
      items: items.map(item => ({ ...item, input: { ...item.input, url: plain(item.input.url) } })),
    }),
  }
}

/** Whether a URL contains user information. Uses a regular expression, because parsing every URL of a long list would
 *  be slow. */
const hasUserInfo = (url: unknown): boolean => typeof url === 'string' && userInfo.test(url)

const userInfo = /^([a-z][a-z0-9+.-]*:[\\/]*)[^\\/?#]*@/i

const plain = <Value>(url: Value): Value =>
  (typeof url === 'string' ? url.replace(userInfo, '$1') : url) as Value
