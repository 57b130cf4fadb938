// Builds a Firecrawl document from a stored page and its record.

import { withoutInlineImages } from '../../../lib/text/markdown-images.ts'
import { asFailure } from '../../../model/failures.ts'
import { parseTaskId, taskId } from '../../../model/ids.ts'
import type { Job } from '../../../model/job.ts'
import { isFeedEntry, wholeFeed } from '../../../model/page/feed-records.ts'
import { mediaTypeOf, type Page } from '../../../model/page/page.ts'
import type { RecordData, StoredRecord } from '../../../model/record.ts'
import { lastPage } from '../../../pipeline/report/item-artifacts.ts'
import { pageBranding } from '../../../pipeline/report/page-branding.ts'
import { warningsOf } from '../../../pipeline/report/result-items.ts'
import type { DocumentOptions, PagePart } from '../../../pipeline/work/documents/page-document.ts'
import { recordFields } from '../../../pipeline/work/documents/record-fields.ts'
import { actionResults, type MadeFiles } from './actions.ts'
import { noteScrape, trackChange } from './change-tracking.ts'
import { metadataOf } from './metadata.ts'
import { modelSettings } from './prepare-options.ts'
import type { DocumentParts, Source } from './source.ts'
import { type StoredRequest, storedRequestOf } from './stored-request.ts'

export type Document = Record<string, unknown>

export async function documentOf(
  parts: DocumentParts,
  job: Job,
  kept: StoredRequest,
  record: StoredRecord,
): Promise<Document> {
  const { store } = parts
  const [task, attempts] = await Promise.all([
    store.tasks.get(job.id, record.n),
    store.tasks.attempts(job.id, record.n),
  ])
  const page = await lastPage(parts.blobs, attempts).catch(() => null)
  const { data, entries } = await pageData(store, job, record)
  const asked = askedUrl(task?.input ?? null) ?? record.url
  return documentFrom({ parts, job, kept, record, data, entries, page, attempts, asked })
}

export async function documentFrom(known: Omit<Source, 'made' | 'problem'>): Promise<Document> {
  const source: Source = { ...known, ...(await madeOf(known)) }
  return { ...(await formatsOf(source)), metadata: metadataOf(source) }
}

/** Converts the page. If that is too costly, the document uses the record alone, so that a response with other documents does
 *  not fail. */
async function madeOf(known: Omit<Source, 'made' | 'problem'>): Promise<Pick<Source, 'made' | 'problem'>> {
  const { parts, page } = known
  if (!page) return { made: null, problem: null }
  try {
    return { made: await parts.pageDocument(page, documentOptionsOf(known)), problem: null }
  } catch (error) {
    const failure = asFailure(error)
    if (failure.code !== 'page.too-costly' && failure.code !== 'extract.too-slow') throw error
    return { made: null, problem: failure.message }
  }
}

function documentOptionsOf({ kept, job, data }: Omit<Source, 'made' | 'problem'>): DocumentOptions {
  const { part, attributes, json, changes, formats } = kept.wanted
  const isRecorded = hasPageRecord({ job, data })
  const wanted = new Set(formats)
  const needsMarkdown = wanted.has('markdown') || wanted.has('summary')
  const isMarkdownMade = needsMarkdown && !(isRecorded && isUsual(part))
  return {
    part,
    pii: job.spec.pii ?? 'keep',
    attributes,
    schemas: [json?.schema, changes?.schema].filter(schema => schema !== undefined),
    wants: [
      'metadata',
      ...(isMarkdownMade ? (['markdown'] as const) : []),
      ...(wanted.has('html') ? (['html'] as const) : []),
      ...(wanted.has('rawHtml') ? (['source'] as const) : []),
      ...(wanted.has('links') && !isRecorded ? (['links'] as const) : []),
      ...(wanted.has('images') ? (['images'] as const) : []),
      ...(wanted.has('branding') ? (['brand'] as const) : []),
    ],
  }
}

/** The data of a page. A feed has one record per entry, but it is one document. */
async function pageData(
  store: DocumentParts['store'],
  job: Job,
  record: StoredRecord,
): Promise<Pick<Source, 'data' | 'entries'>> {
  const data = JSON.parse(record.data) as RecordData
  if (!isFeedEntry(data)) return { data, entries: [] }
  const records = await store.records.ofTask(job.id, record.n)
  const entries = records.map(entry => JSON.parse(entry.data) as RecordData)
  return { data: wholeFeed(entries) ?? data, entries }
}

const askedUrl = (input: string | null): string | null =>
  input === null ? null : ((JSON.parse(input) as { url?: string }).url ?? null)

async function formatsOf(source: Source): Promise<Document> {
  const { wanted } = source.kept
  const wants = new Set(wanted.formats)
  const text = wants.has('markdown') || wants.has('summary') ? markdownOf(source) : null
  const markdown = wants.has('markdown') ? text : null
  const changes = await changesOf(source, markdown)
  const summary = wants.has('summary') ? await summaryOf(source, text ?? '') : null
  const branding = wants.has('branding') ? await brandingOf(source) : null
  const json = wanted.json ? jsonOf(source) : null
  const files = wanted.hasScreenshot || wanted.actions.length > 0 ? await filesOf(source) : noFiles
  const warnings = [
    ...wanted.warnings,
    ...jsonWarnings(source, json),
    ...missingWarnings(source),
    ...pageWarnings(source),
    ...(summary?.warnings ?? []),
    ...(branding?.warnings ?? []),
  ]
  return {
    ...(markdown !== null && { markdown }),
    ...(wants.has('html') && { html: htmlOf(source) }),
    ...(wants.has('rawHtml') && { rawHtml: rawOf(source) }),
    ...(wants.has('links') && { links: linksOf(source) }),
    ...(summary && { summary: summary.value }),
    ...(branding && { branding: branding.value }),
    ...(wants.has('images') && { images: source.made?.images ?? [] }),
    ...(wanted.hasScreenshot && { screenshot: files.screenshots.pop() ?? null }),
    ...(wanted.attributes && { attributes: attributesOf(source) }),
    ...(json && { json }),
    ...(json && source.kept.version === 1 && { extract: json }),
    ...(changes && { changeTracking: changes }),
    ...(wanted.actions.length > 0 && { actions: actionResults(wanted.actions, source.data, files) }),
    ...(warnings.length > 0 && { warning: warnings.join(' · ') }),
  }
}

const noFiles: MadeFiles = { screenshots: [], pdfs: [] }

function markdownOf({ made, data, kept }: Source): string {
  // If the page was deleted or has no markup, the text comes from the record, which is already masked.
  const shown = made?.markdown ?? String(data.markdown ?? data.text ?? '').trim()
  return kept.wanted.keepsInlineImages ? shown : withoutInlineImages(shown)
}

/** Whether the record is the default record of a page without rules. */
const hasPageRecord = ({ job, data }: Pick<Source, 'job' | 'data'>): boolean =>
  job.spec.extract === undefined && typeof data.markdown === 'string'

const isUsual = ({ onlyMainContent, includeTags, excludeTags }: PagePart): boolean =>
  onlyMainContent && includeTags.length + excludeTags.length === 0

const linksOf = ({ made, data }: Source): unknown => made?.links ?? data.links ?? []

const htmlOf = ({ made, page, problem }: Source): string =>
  made?.html ?? (problem === null ? textOf(page) : '')

const rawOf = ({ made, page }: Source): string => made?.source ?? textOf(page)

const textOf = (page: Page | null): string =>
  page && /json|xml|^text\//.test(mediaTypeOf(page.headers)) ? page.body.toString('utf8') : ''

const attributesOf = ({ made, kept }: Source) =>
  (kept.wanted.attributes ?? []).map(({ selector, attribute }, index) => ({
    ...{ selector, attribute },
    values: made?.attributes[index] ?? [],
  }))

/** The fields of the `json` format. Values that the rules or the model found have priority over values found by name. */
function jsonOf({ made, data, entries, job, kept }: Source): Record<string, unknown> {
  const { schema } = kept.wanted.json ?? {}
  const named = made?.fields[0] ?? (schema ? recordFields(data, entries, schema) : {})
  const ruled = job.spec.extract ? data : {}
  const values = Object.keys(named).map(name => [name, ruled[name] ?? named[name] ?? null])
  return Object.fromEntries(values) as Record<string, unknown>
}

function jsonWarnings({ kept, job }: Source, json: Record<string, unknown> | null): string[] {
  if (!kept.wanted.json || !json) return []
  if (kept.kind === 'parse') return lackingInFile(json)
  if (kept.wanted.json.prompt !== undefined && !job.spec.extract)
    return [
      'json.prompt: no model is configured (SCRAPER_LLM_BASE_URL), so fields are looked up by their names',
      ...lackingWarnings(job, json),
    ]
  return lackingWarnings(job, json)
}

function lackingInFile(json: Record<string, unknown>): string[] {
  const lacking = Object.keys(json).filter(name => json[name] === null)
  return lacking.length === 0
    ? []
    : [`json: ${lacking.join(', ')}: the data of the file has no value; a model does not read files`]
}

function lackingWarnings(job: Job, json: Record<string, unknown>): string[] {
  const lacking = Object.keys(json).filter(name => json[name] === null)
  if (lacking.length === 0) return []
  const why = job.spec.extract
    ? 'neither the data of the page nor the model has a value'
    : 'the data of the page has no value, and no model is configured (SCRAPER_LLM_BASE_URL)'
  return [`json: ${lacking.join(', ')}: ${why}`]
}

const missingWarnings = ({ page, kept, problem }: Source): string[] =>
  problem !== null
    ? [`${problem}; this document has only the data of its record`]
    : page === null && kept.wanted.formats.some(name => name !== 'markdown' && name !== 'links')
      ? ['the raw page was deleted, so this document has only the data of its record']
      : []

const ofMainContent: ReadonlySet<string> = new Set(['content.small-share', 'content.no-heading'])

/** Warnings of the record. Warnings about the main content apply only if the document uses the main content. */
function pageWarnings({ record, kept }: Source): string[] {
  const { warnings = [] } = warningsOf(record)
  return warnings
    .filter(({ code }) => isUsual(kept.wanted.part) || !ofMainContent.has(code))
    .map(({ code, message }) => `${code}: ${message}`)
}

async function filesOf({ parts, attempts }: Source): Promise<MadeFiles> {
  const files: MadeFiles = { screenshots: [], pdfs: [] }
  for (const { name, type, key } of attempts.at(-1)?.artifacts ?? []) {
    const list = /^screenshot/.test(name) ? files.screenshots : /^pdf/.test(name) ? files.pdfs : null
    const bytes = list && (await parts.blobs.get(key))
    if (bytes) list.push(`data:${type};base64,${bytes.toString('base64')}`)
  }
  return files
}

/** The comparison with the last scrape; null if the caller did not request it. Then this scrape is only stored for later
 *  comparisons. */
async function changesOf(source: Source, markdown: string | null): Promise<Record<string, unknown> | null> {
  const { parts, job, kept, record, made, asked } = source
  const { changes } = kept.wanted
  const scrape = taskId(job.id, record.n)
  const seen = { scrape, at: record.fetchedAt, markdown: markdown ?? '', json: null }
  if (changes) {
    const json = (changes.schema && made?.fields.at(-1)) ?? jsonOrNull(source)
    const before = (id: string) => markdownOfScrape(parts, id)
    return trackChange(parts.blobs, job.workspace, asked, changes, { ...seen, json }, before)
  }
  if (markdown !== null && kept.kind !== 'parse') await noteScrape(parts.blobs, job.workspace, asked, seen)
  return null
}

/** The markdown of an earlier scrape; null if its job is deleted. */
async function markdownOfScrape(parts: DocumentParts, scrape: string): Promise<string | null> {
  const { jobId, n } = parseTaskId(scrape) ?? { jobId: scrape, n: 1 }
  const job = await parts.store.jobs.get(jobId)
  const [record] = job ? await parts.store.records.ofTask(jobId, n) : []
  if (!job || !record) return null
  const { wanted, ...kept } = storedRequestOf(job)
  const { part, keepsInlineImages } = wanted
  const only = {
    formats: ['markdown'],
    part,
    keepsInlineImages,
    actions: [],
    hasScreenshot: false,
    warnings: [],
  }
  const { markdown } = await documentOf(parts, job, { ...kept, wanted: only }, record)
  return typeof markdown === 'string' ? markdown : null
}

const jsonOrNull = (source: Source) => (source.kept.wanted.json ? jsonOf(source) : null)

interface Format {
  value: unknown
  warnings: string[]
}

async function summaryOf({ parts, job, kept }: Source, text: string): Promise<Format> {
  if (text.trim() === '') return { value: null, warnings: ['summary: the page has no text'] }
  if (!parts.model)
    return { value: null, warnings: [`summary: no language model is set up any more (${modelSettings})`] }
  const asked = { workspace: job.workspace, job: kept.kind === 'parse' ? null : job }
  const told = await parts.model.summarize(asked, text)
  return 'why' in told
    ? { value: null, warnings: [`summary: ${told.why}`] }
    : { value: told.value, warnings: [] }
}

async function brandingOf({ parts, job, record, made }: Source): Promise<Format> {
  if (!made?.brand) return { value: null, warnings: ['branding: the page is not HTML, or it is deleted'] }
  const { branding, missing } = await pageBranding(parts, { jobId: job.id, n: record.n }, made.brand)
  const warnings = missing > 0 ? [`branding: ${missing} style sheets could not be fetched`] : []
  return { value: branding, warnings }
}
