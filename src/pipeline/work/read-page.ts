// Parses a fetched page: its records, the links to follow, and the keys that identify the page.
import { parseDocument } from '../../extract/document/index.ts'
import { formatOf, looksLikeFeed } from '../../extract/formats/format-of.ts'
import { linksOfText, type ReadText, readTextual } from '../../extract/formats/text.ts'
import { findLinks } from '../../extract/links.ts'
import { renderNeed } from '../../extract/render-need.ts'
import { wallFailure, wallOf } from '../../extract/walls/index.ts'
import { decodeText } from '../../fetch/http/index.ts'
import { canonicalUrl, contentKey, urlKey } from '../../frontier/canonical-url.ts'
import { parseSitemap, type Sitemap } from '../../frontier/sitemaps.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import { mediaTypeOf, type Page } from '../../model/page/page.ts'
import type { PageWarning } from '../../model/page/page-warning.ts'
import type { Extracted } from '../../model/record.ts'
import type { Key, LeasedTask } from '../../model/task.ts'
import type { OpenJob, ParsedPage } from './lane-job.ts'
import type { PageReader, Reading } from './reading.ts'

const noLinks = { hrefs: [], nofollow: [], canonical: null, pageNofollow: false }

const empty: Reading = {
  extracted: [],
  links: null,
  sitemaps: [],
  canonicalKey: null,
  contentKey: null,
  specParsed: false,
}

export function readPage(job: OpenJob, task: LeasedTask, page: Page): Reading | Promise<Reading> {
  const reader = job.readerFor(page)
  if (!reader) return readHere(job, task, page)
  // Pages for a language model are parsed in this process, because this process counts the tokens.
  return job.asksModel ? probeAndRead(job, task, page) : readElsewhere(reader, job, task, page)
}

async function probeAndRead(job: OpenJob, task: LeasedTask, page: Page): Promise<Reading> {
  await job.probe(page)
  return readHere(job, task, page)
}

/** Parses a page in another process. Traps are detected in this process, because the other process does not know the job's pages. */
async function readElsewhere(
  reader: PageReader,
  job: OpenJob,
  task: LeasedTask,
  page: Page,
): Promise<Reading> {
  const reading = await reader.read(job.job, task, page)
  if (!reading.looked?.need.needs) noteBody(job, task, reading)
  return reading
}

/** Parses the page on this thread, whatever its size. */
export function readHere(job: OpenJob, task: LeasedTask, page: Page): Reading | Promise<Reading> {
  if (task.kind === 'sitemap') return readSitemap(job, task, page)
  const type = mediaTypeOf(page.headers)
  if (isMarkup(type, page.body)) return readMarkup(job, task, page)
  const format = formatOf(type, page.body)
  if (format === 'text') return readText(job, task, page, type)
  const records = format === 'pdf' ? job.extractPdf(page, task) : job.extractDownload(page, task)
  return withReason(job, page, bodyOnly(job, page), records, null)
}

/** Parses only the links and the page's keys, for a page whose records are cached. */
export function readLinks(job: OpenJob, task: LeasedTask, page: Page): Reading {
  const type = mediaTypeOf(page.headers)
  if (isMarkup(type, page.body)) {
    const { reading } = parseMarkup(job, task, page)
    noteBody(job, task, reading)
    return reading
  }
  return formatOf(type, page.body) === 'text' ? parseText(job, task, page, type).reading : bodyOnly(job, page)
}

export const isMarkup = (type: string, body: Buffer): boolean =>
  (type === 'text/html' || type === 'application/xhtml+xml' || (type === '' && looksLikeMarkup(body))) &&
  !looksLikeFeed(body)

/** Whether a page without a content type is markup. Some servers send HTML without a type. */
const looksLikeMarkup = (body: Buffer): boolean =>
  body.length === 0 || /^\s*</.test(body.toString('latin1', 0, 256))

function readMarkup(job: OpenJob, task: LeasedTask, page: Page): Reading | Promise<Reading> {
  const { reading, parsed } = parseMarkup(job, task, page)
  refuseWall(parsed)
  if (job.looks(task)) return lookedAt(job, parsed, reading)
  noteBody(job, task, reading)
  const extracted = extractedFrom(job, parsed)
  if (extracted instanceof Promise || (extracted.length === 0 && job.hasOwnRules))
    return withReason(job, page, reading, extracted, parsed)
  // The records do not refer to the document, so free it now.
  parsed.document.release()
  return { ...reading, extracted }
}

/** Adds a warning to a page without a record: which rules found nothing. */
async function withReason(
  job: OpenJob,
  page: Page,
  reading: Reading,
  records: Extracted[] | Promise<Extracted[]>,
  parsed: Pick<ParsedPage, 'document' | 'source' | 'found'> | null,
): Promise<Reading> {
  const extracted = await records
  const why = extracted.length === 0 ? await job.whyNothing(page, parsed) : null
  if (!why) return { ...reading, extracted }
  const isShell = !page.rendered && parsed && renderNeed({ ...parsed, missingRequired: [] }).needs
  const warning = isShell ? { ...why, message: `${why.message}; ${withBrowser}` } : why
  return { ...reading, extracted, warning }
}

const withBrowser = 'the page is empty without its scripts, so add --render auto'

/** The records of a page. Records that actions extracted replace them. */
const extractedFrom = (job: OpenJob, parsed: ParsedPage): Extracted[] | Promise<Extracted[]> =>
  parsed.page.rendered?.extracted ?? job.extract(parsed)

/** Throws if the page is a wall. */
function refuseWall({ document, source, page, task }: ParsedPage): void {
  const wall = wallOf({ ...page, url: task.url, source, document: () => document })
  if (wall) throw wallFailure(wall, { url: task.url, status: page.status })
}

/** Parses a page and checks whether it needs a browser. If it needs one, it is not counted for traps and duplicates.
 *  Without scripts, all pages of an application look alike. */
async function lookedAt(job: OpenJob, parsed: ParsedPage, reading: Reading): Promise<Reading> {
  const { extracted, missing } = await recordsOrNone(job, parsed)
  const need = renderNeed({ document: parsed.document, missingRequired: missing })
  if (!need.needs) noteBody(job, parsed.task, reading)
  const read = await withReason(job, parsed.page, reading, extracted, parsed)
  return { ...read, looked: { need, isLacking: missing.length > 0 } }
}

/** The records of a page and its missing fields. No records if the scraper refuses a page that may need a browser. */
async function recordsOrNone(
  job: OpenJob,
  parsed: ParsedPage,
): Promise<{ extracted: Extracted[]; missing: string[] }> {
  try {
    const extracted = await extractedFrom(job, parsed)
    return { extracted, missing: await job.missingRequired(parsed, extracted) }
  } catch (error) {
    const missing = [whatItLooksFor]
    const isOurs = asFailure(error).code !== 'extract.site-changed' || parsed.page.rendered
    if (isOurs || !renderNeed({ document: parsed.document, missingRequired: missing }).needs) throw error
    return { extracted: [], missing }
  }
}

const whatItLooksFor = 'what the scraper expects'

function noteBody(job: OpenJob, task: LeasedTask, { contentKey: body }: Reading): void {
  if (body !== null) job.admitter.noteBody(task.url, body)
}

/** Whether the links of a page become tasks. Links of an error page are ignored, because they may lead anywhere. */
const follows = (job: OpenJob, task: LeasedTask, { status }: Page): boolean =>
  status < 400 && job.follows(task)

function parseMarkup(job: OpenJob, task: LeasedTask, page: Page): { reading: Reading; parsed: ParsedPage } {
  const source = decodeText(page)
  const document = parseDocument(source)
  const found = findLinks(document, page.finalUrl)
  const reading: Reading = {
    extracted: [],
    links: follows(job, task, page) ? job.admitter.admit(found, task.depth + 1) : null,
    sitemaps: [],
    canonicalKey: job.dedupes ? identityKey(job, page, found.canonical) : null,
    contentKey: job.dedupes ? contentKey(page.body) : null,
    specParsed: document.parser === 'spec',
  }
  return { reading, parsed: { document, source, found, page, task } }
}

/** The key of the page's canonical URL. A canonical link that is out of scope is ignored; then the page's own URL is used. */
function identityKey(job: OpenJob, page: Page, canonical: string | null): Key {
  const own = canonicalUrl(page.finalUrl, job.canonical) ?? page.finalUrl
  const named = canonical ? canonicalUrl(canonical, job.canonical, page.finalUrl) : null
  return urlKey(named && job.scope.allows(named, 0).ok ? named : own)
}

function readText(job: OpenJob, task: LeasedTask, page: Page, type: string): Reading | Promise<Reading> {
  const { reading, read } = parseText(job, task, page, type)
  const parsed = {
    document: parseDocument(''),
    source: read.text,
    found: { ...noLinks, base: page.finalUrl },
  }
  return withReason(job, page, reading, job.extractText(page, task, read), parsed)
}

/** Parses a page that is text and not markup. Among such pages, only feeds have links: to the pages of their entries. */
function parseText(
  job: OpenJob,
  task: LeasedTask,
  page: Page,
  type: string,
): { reading: Reading; read: ReadText } {
  const read = readTextual(type, decodeText(page))
  const found = linksOfText(read, page.finalUrl)
  const links = found && follows(job, task, page) ? job.admitter.admit(found, task.depth + 1) : null
  return { reading: { ...bodyOnly(job, page), links }, read }
}

const bodyOnly = (job: OpenJob, page: Page): Reading => ({
  ...empty,
  contentKey: job.dedupes ? contentKey(page.body) : null,
})

/** The warning about a sitemap that is unusable or cut off. Null if it was read completely. */
function sitemapWarning(url: string, { urls, sitemaps, problems, truncated }: Sitemap): PageWarning | null {
  const [problem = 'it names no URL'] = problems
  if (urls.length + sitemaps.length === 0)
    return { code: 'sitemap.unusable', message: `${url} is not a usable sitemap: ${problem}` }
  if (!truncated) return null
  const message = `${url} was not read completely: ${problem}; it gave ${urls.length + sitemaps.length} URLs`
  return { code: 'sitemap.cut', message }
}

/** Parses a sitemap. If it is unusable, a job that needs the sitemap fails. A crawl continues with the links of its pages. */
function readSitemap(job: OpenJob, task: LeasedTask, page: Page): Reading {
  const sitemap = parseSitemap(page.body)
  const warning = sitemapWarning(page.finalUrl, sitemap)
  const { sitemapUrl, sitemap: mode } = job.job.spec
  if (warning?.code === 'sitemap.unusable' && (sitemapUrl !== undefined || mode === 'only'))
    throw new Failure('content.unreadable', warning.message, { url: page.finalUrl })
  const hrefs = sitemap.urls.map(entry => entry.loc)
  const found = { ...noLinks, base: page.finalUrl, hrefs }
  return {
    ...{ ...empty, links: job.admitter.admit(found, task.depth), sitemaps: sitemap.sitemaps },
    ...(warning && { warning }),
  }
}
