// Parses a fetched page: its records, the links to follow, and the keys that identify the page.
import { parseDocument } from '../../extract/document/index.ts'
import { linksOfText, type ReadText } from '../../extract/formats/text.ts'
import { renderNeed } from '../../extract/render-need.ts'
import { canonicalUrl, contentKey, urlKey } from '../../frontier/canonical-url.ts'
import { parseSitemap, type Sitemap } from '../../frontier/sitemaps.ts'
import { asFailure, Failure } from '../../model/failures.ts'
import type { Page } from '../../model/page/page.ts'
import type { PageWarning } from '../../model/page/page-warning.ts'
import type { Extracted } from '../../model/record.ts'
import type { Key, LeasedTask } from '../../model/task.ts'
import type { OpenJob } from './lane/open-job.ts'
import { isMarkup, type ParsedPage, parseMarkup, refuseWall, textOf } from './parse-page.ts'
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
  return job.records.asksModel ? probeAndRead(job, task, page) : readElsewhere(reader, job, task, page)
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
  return isMarkup(page) ? readMarkup(job, task, page) : readOther(job, task, page)
}

/** Parses only the links and the page's keys, for a page whose records are cached. */
export function readLinks(job: OpenJob, task: LeasedTask, page: Page): Reading {
  if (!isMarkup(page)) return linksOfOther(job, task, page).reading
  const { reading } = linksOfMarkup(job, task, page)
  noteBody(job, task, reading)
  return reading
}

function readMarkup(job: OpenJob, task: LeasedTask, page: Page): Reading | Promise<Reading> {
  const { reading, parsed } = linksOfMarkup(job, task, page)
  refuseWall(parsed)
  if (job.looks(task)) return lookedAt(job, task, parsed, reading)
  noteBody(job, task, reading)
  const extracted = extractedFrom(job, parsed)
  if (extracted instanceof Promise || (extracted.length === 0 && job.ownRules))
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
  const own = job.ownRules
  const why = own && extracted.length === 0 ? await job.records.whyNothing(page, own, parsed) : null
  if (!why) return { ...reading, extracted }
  const isShell = !page.rendered && parsed && renderNeed({ ...parsed, missingRequired: [] }).needs
  const warning = isShell ? { ...why, message: `${why.message}; ${withBrowser}` } : why
  return { ...reading, extracted, warning }
}

const withBrowser = 'the page is empty without its scripts, so add --render auto'

/** The records of a page. Records that actions extracted replace them. */
const extractedFrom = (job: OpenJob, parsed: ParsedPage): Extracted[] | Promise<Extracted[]> =>
  parsed.page.rendered?.extracted ?? (job.wantsRecords ? job.records.ofMarkup(parsed) : [])

/** Parses a page and checks whether it needs a browser. If it needs one, it is not counted for traps and duplicates.
 *  Without scripts, all pages of an application look alike. */
async function lookedAt(
  job: OpenJob,
  task: LeasedTask,
  parsed: ParsedPage,
  reading: Reading,
): Promise<Reading> {
  const { extracted, missing } = await recordsOrNone(job, parsed)
  const need = renderNeed({ document: parsed.document, missingRequired: missing })
  if (!need.needs) noteBody(job, task, reading)
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
    const isLacking = job.wantsRecords && extracted.length === 0
    return { extracted, missing: isLacking ? await job.records.missingRequired(parsed) : [] }
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

function linksOfMarkup(job: OpenJob, task: LeasedTask, page: Page): { reading: Reading; parsed: ParsedPage } {
  const parsed = parseMarkup(page, task.url)
  const { document, found } = parsed
  const reading: Reading = {
    extracted: [],
    links: follows(job, task, page) ? job.admitter.admit(found, task.depth + 1) : null,
    sitemaps: [],
    canonicalKey: job.dedupes ? identityKey(job, page, found.canonical) : null,
    contentKey: job.dedupes ? contentKey(page.body) : null,
    specParsed: document.parser === 'spec',
  }
  return { reading, parsed }
}

/** The key of the page's canonical URL. A canonical link that is out of scope is ignored; then the page's own URL is used. */
function identityKey(job: OpenJob, page: Page, canonical: string | null): Key {
  const own = canonicalUrl(page.finalUrl, job.canonical) ?? page.finalUrl
  const named = canonical ? canonicalUrl(canonical, job.canonical, page.finalUrl) : null
  return urlKey(named && job.scope.allows(named, 0).ok ? named : own)
}

function readOther(job: OpenJob, task: LeasedTask, page: Page): Reading | Promise<Reading> {
  const { reading, read } = linksOfOther(job, task, page)
  const records = job.wantsRecords ? job.records.ofOther(page, task.url, read) : []
  const parsed = read && {
    document: parseDocument(''),
    source: read.text,
    found: { ...noLinks, base: page.finalUrl },
  }
  return withReason(job, page, reading, records, parsed)
}

/** The links of a page that is not markup. Only feeds have links: to the pages of their entries. */
function linksOfOther(
  job: OpenJob,
  task: LeasedTask,
  page: Page,
): { reading: Reading; read: ReadText | null } {
  const read = textOf(page)
  const found = read && linksOfText(read, page.finalUrl)
  const links = found && follows(job, task, page) ? job.admitter.admit(found, task.depth + 1) : null
  const body = job.dedupes ? contentKey(page.body) : null
  return { reading: { ...empty, links, contentKey: body }, read }
}

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
