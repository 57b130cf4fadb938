// A page for testing rules: fetched once like any page of a job, stored, and parsed as often as needed.
import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Writable } from 'node:stream'
import { openFileBlobs } from '../../adapters/fs/blobs.ts'
import type { Loaded } from '../../config/load.ts'
import type { Settings } from '../../config/settings.ts'
import { type ContentReasons, explainContent } from '../../extract/content/explain.ts'
import { compileSelector, parseDocument, selectAll } from '../../extract/document/index.ts'
import { openLedger } from '../../extract/llm/token-budget.ts'
import { parseRulesFile } from '../../extract/rules/rules-file.ts'
import { decodeText } from '../../fetch/http/index.ts'
import { systemClock } from '../../lib/clocks.ts'
import { cleanText } from '../../lib/text/clean-text.ts'
import { deleteJobData } from '../../maintain/delete-job.ts'
import { defaultWorkspace } from '../../model/access.ts'
import type { ExtractionRules } from '../../model/extraction-rules.ts'
import { Failure, type FailureCode } from '../../model/failures.ts'
import type { JobSpecInput } from '../../model/job.ts'
import type { Page } from '../../model/page/page.ts'
import type { Extracted, NewRecord, Provenance, RecordData } from '../../model/record.ts'
import type { LeasedTask } from '../../model/task.ts'
import { StoredPages } from '../../pipeline/keep/stored-pages.ts'
import { warningsOf } from '../../pipeline/report/result-items.ts'
import { inForce } from '../../pipeline/submit/policy-in-force.ts'
import { parseJobSpec } from '../../pipeline/submit/submit-job.ts'
import { pageViewOf } from '../../pipeline/work/scraper/page-view.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { readPage } from '../../results/read-page.ts'
import { asked } from '../../results/warc-exchanges.ts'
import type { PageView } from '../../scraper/page-view.ts'
import type { Registry } from '../../scraper/registry.ts'
import { type DataDirectory, visitDataDirectory } from '../data-directory.ts'
import { Engine } from '../engine.ts'
import { llmSettingsOf, refuseUselessModel, refuseWithoutModel } from '../llm-settings.ts'
import { loadScrapers } from '../scrapers/scraper-files.ts'

/** How long a stored page may be used for further tests, in milliseconds. */
const keptForMs = 60 * 60_000

interface TrialRequest {
  url: string
  /** Job settings for the request, such as headers. */
  spec: JobSpecInput
  /** Fetch the page even if a stored copy exists. */
  fresh: boolean
  /** Whether a language model may fill required and wanted fields, and how many tokens it may use. */
  model?: Pick<JobSpecInput, 'llm' | 'llmTokens'>
  stop: AbortSignal
}

export type { ContentReasons } from '../../extract/content/explain.ts'

export interface Trial {
  /** `id@version` of the scraper or rules that made the records. */
  maker: string
  records: Extracted[]
  /** Why there is no record; null if there is one. */
  whyNothing: string | null
}

interface TrialParts {
  page: Page
  wasKept: boolean
  blobs: Blobs
  registry: Registry
  settings: Settings
  model: Pick<JobSpecInput, 'llm' | 'llmTokens'>
}

export class PageTrial implements AsyncDisposable {
  readonly page: Page
  /** True if a stored copy was used, so no request was sent. */
  readonly wasKept: boolean
  readonly #blobs: Blobs
  readonly #registry: Registry
  readonly #settings: Settings
  readonly #model: Pick<JobSpecInput, 'llm' | 'llmTokens'>
  /** One token budget for the whole trial, even if the rules are changed. */
  readonly #ledger = openLedger()

  private constructor(parts: TrialParts) {
    this.page = parts.page
    this.wasKept = parts.wasKept
    this.#blobs = parts.blobs
    this.#registry = parts.registry
    this.#settings = parts.settings
    this.#model = parts.model
  }

  static async open(loaded: Loaded, request: TrialRequest): Promise<PageTrial> {
    const { model = {} } = request
    refuseWithoutModel({ llm: model.llm ?? 'off' }, loaded.settings)
    const jobId = trialId(request)
    const kept = request.fresh ? null : await keptPage(loaded, jobId)
    const page = kept ?? (await fetchPage(loaded, jobId, request))
    const blobs = await openFileBlobs(join(resolve(loaded.settings.dataDir), 'blobs'))
    const registry = await loadScrapers([])
    const { settings } = loaded
    return new PageTrial({ page, wasKept: kept !== null, blobs, registry, settings, model })
  }

  view(): PageView {
    return pageViewOf(decodeText(this.page), this.page)
  }

  /** The text of every match, or one attribute of it; null if the attribute is missing. */
  select(selector: string, attribute?: string): Array<string | null> {
    const document = parseDocument(decodeText(this.page))
    const nodes = selectAll(document, compileSelector(selector))
    return attribute === undefined
      ? nodes.map(node => cleanText(document.text(node)))
      : nodes.map(node => document.attribute(node, attribute))
  }

  /** Explains which part of the page counts as its main content. */
  reasons(): ContentReasons {
    return explainContent(parseDocument(decodeText(this.page)))
  }

  /** The records that these rules extract; without rules, the default record. */
  async extract(rules?: ExtractionRules): Promise<Trial> {
    const { url } = this.page
    const spec = inForce(parseJobSpec({ urls: [url], ...this.#model, ...(rules && { extract: rules }) }))
    refuseUselessModel(spec, this.#registry)
    const llm = llmSettingsOf(this.#settings)
    const own = { blobs: this.#blobs, registry: this.#registry }
    const parts = { ...own, clock: systemClock, llm, ledger: this.#ledger }
    await using pages = new StoredPages(parts, { id: 'try', kind: 'list', workspace: defaultWorkspace, spec })
    const { records, failure, remark } = await pages.run(
      taskFor(url),
      [asked(this.page)],
      new AbortController().signal,
    )
    if (failure) throw Failure.from(failure)
    return { maker: pages.maker, records: records.map(parsedRecord), whyNothing: remark ?? null }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#blobs[Symbol.asyncDispose]()
  }
}

const parsedRecord = ({ data, provenance, way }: NewRecord): Extracted => ({
  data: JSON.parse(data) as RecordData,
  provenance: JSON.parse(provenance ?? '{}') as Provenance,
  ...warningsOf({ way }),
})

/** Parses rules from an object: complete rules, or only their fields. */
export function rulesFrom(value: Record<string, unknown>): ExtractionRules {
  const whole = 'fields' in value ? value : { fields: value }
  return parseRulesFile(JSON.stringify(whole, null, 2), 'rules')
}

/** One job id per page and request settings, so that repeated trials create few jobs. */
function trialId({ url, spec }: TrialRequest): string {
  const { headers, cookiesFile, userAgent } = spec
  const text = JSON.stringify([url, headers, cookiesFile, userAgent])
  return `try-${hash('sha256', text, 'hex').slice(0, 12)}`
}

async function keptPage({ settings }: Loaded, jobId: string): Promise<Page | null> {
  if (!existsSync(join(resolve(settings.dataDir), 'store.sqlite'))) return null
  await using data = await visitDataDirectory(settings.dataDir)
  const page = await pageOf(data, jobId)
  return page && page.endedAt > Date.now() - keptForMs ? page : null
}

/** Null if the job does not exist, or its page was not fetched or is deleted. */
async function pageOf({ store, blobs }: DataDirectory, jobId: string): Promise<Page | null> {
  const task = await store.tasks.get(jobId, 1)
  if (task?.state !== 'succeeded') return null
  const raw = (await store.tasks.attempts(jobId, 1)).at(-1)?.raw
  return raw ? readPage(blobs, raw).catch(() => null) : null
}

/** Fetches the page with the engine, so that robots.txt, the rate of the host and retries apply as in any job. */
async function fetchPage(loaded: Loaded, jobId: string, request: TrialRequest): Promise<Page> {
  const { url, spec, stop } = request
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done() })
  await using engine = await Engine.open(loaded, { command: `try ${url}`, stop, stdout, lanes: 0 })
  const { data } = engine
  if (await data.store.jobs.get(jobId)) await deleteJobData(data, jobId)
  await engine.submit(parseJobSpec({ ...spec, jobId, urls: [url], labels: { purpose: 'try' } }))
  await engine.run()
  return (await pageOf(data, jobId)) ?? (await notFetched(data, jobId))
}

async function notFetched({ store }: DataDirectory, jobId: string): Promise<never> {
  const task = await store.tasks.get(jobId, 1)
  const code = (task?.reason ?? 'worker.stopping') as FailureCode
  throw new Failure(code, `${task?.url}: ${task?.message ?? 'it was not fetched'} (${code})`)
}

const taskFor = (url: string): LeasedTask => ({
  jobId: 'try',
  n: 1,
  attempt: 1,
  charged: 0,
  kind: 'page',
  url,
  host: new URL(url).host,
  depth: 0,
  priority: 0,
  input: null,
  itemId: null,
  way: 'http',
  wayWhy: null,
})
