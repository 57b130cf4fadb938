// What a lane makes of a fetched page: records, links to follow, and what it is identified by.
import { parseDocument } from '../extract/document/index.ts'
import { findLinks } from '../extract/links.ts'
import { decodeText } from '../fetch/http/index.ts'
import { canonicalUrl, contentKey, urlKey } from '../frontier/canonical-url.ts'
import { parseSitemap } from '../frontier/sitemaps.ts'
import { Failure } from '../model/failures.ts'
import type { AdmittedLinks } from '../model/links.ts'
import { mediaTypeOf, type Page } from '../model/page.ts'
import type { Extracted } from '../model/record.ts'
import type { Key, LeasedTask } from '../model/task.ts'
import type { OpenJob, ParsedPage } from './lane-job.ts'

/** What was read from a page, before it is written down. */
export interface Reading {
  extracted: Extracted[]
  links: AdmittedLinks | null
  sitemaps: string[]
  canonicalKey: Key | null
  contentKey: Key | null
  specParsed: boolean
}

const empty: Reading = {
  extracted: [],
  links: null,
  sitemaps: [],
  canonicalKey: null,
  contentKey: null,
  specParsed: false,
}

export function readPage(job: OpenJob, task: LeasedTask, page: Page): Reading | Promise<Reading> {
  if (task.kind === 'sitemap') return readSitemap(job, task, page)
  const type = mediaTypeOf(page.headers)
  if (isMarkup(type, page.body)) return readMarkup(job, task, page)
  if (isTextual(type)) return readText(job, task, page)
  throw new Failure(
    'content.unsupported',
    `${task.url} is ${type || 'of no named type'}, which is not a page`,
    { type },
  )
}

/** Links and identity alone, of a page whose records are known. */
export function readLinks(job: OpenJob, task: LeasedTask, page: Page): Reading {
  if (isMarkup(mediaTypeOf(page.headers), page.body)) return parseMarkup(job, task, page).reading
  return { ...empty, contentKey: job.dedupes ? contentKey(page.body) : null }
}

const isMarkup = (type: string, body: Buffer): boolean =>
  type === 'text/html' || type === 'application/xhtml+xml' || (type === '' && looksLikeMarkup(body))

/** Servers that name no type still serve HTML now and then. */
const looksLikeMarkup = (body: Buffer): boolean =>
  body.length === 0 || /^\s*</.test(body.toString('latin1', 0, 256))

const isTextual = (type: string): boolean =>
  type.startsWith('text/') ||
  /^application\/(json|xml|ld\+json|[\w.-]+\+(json|xml)|javascript|yaml)$/.test(type)

function readMarkup(job: OpenJob, task: LeasedTask, page: Page): Reading | Promise<Reading> {
  const { reading, parsed } = parseMarkup(job, task, page)
  return withRecords(reading, job.extract(parsed))
}

function parseMarkup(job: OpenJob, task: LeasedTask, page: Page): { reading: Reading; parsed: ParsedPage } {
  const source = decodeText(page)
  const document = parseDocument(source)
  const found = findLinks(document, page.finalUrl)
  const body = job.dedupes ? contentKey(page.body) : null
  if (body !== null) job.admitter.noteBody(task.url, body)
  const reading: Reading = {
    extracted: [],
    links: job.follows(task) ? job.admitter.admit(found, task.depth + 1) : null,
    sitemaps: [],
    canonicalKey: job.dedupes ? identityKey(job, page, found.canonical) : null,
    contentKey: body,
    specParsed: document.parser === 'spec',
  }
  return { reading, parsed: { document, source, found, page, task } }
}

/** A canonical of another site says nothing about ours; such a page stands for itself. */
function identityKey(job: OpenJob, page: Page, canonical: string | null): Key {
  const own = canonicalUrl(page.finalUrl, job.canonical) ?? page.finalUrl
  const named = canonical ? canonicalUrl(canonical, job.canonical, page.finalUrl) : null
  return urlKey(named && job.scope.allows(named, 0).ok ? named : own)
}

function readText(job: OpenJob, task: LeasedTask, page: Page): Reading | Promise<Reading> {
  const reading: Reading = { ...empty, contentKey: job.dedupes ? contentKey(page.body) : null }
  return withRecords(reading, job.extractText(page, task, decodeText(page)))
}

/** A promise only where extraction needs one: most pages are read without a turn of the event loop. */
function withRecords(
  reading: Reading,
  extracted: Extracted[] | Promise<Extracted[]>,
): Reading | Promise<Reading> {
  if (!(extracted instanceof Promise)) return { ...reading, extracted }
  return extracted.then(records => ({ ...reading, extracted: records }))
}

function readSitemap(job: OpenJob, task: LeasedTask, page: Page): Reading {
  const sitemap = parseSitemap(page.body)
  const hrefs = sitemap.urls.map(entry => entry.loc)
  const found = { base: page.finalUrl, hrefs, nofollow: [], canonical: null, pageNofollow: false }
  return { ...empty, links: job.admitter.admit(found, task.depth), sitemaps: sitemap.sitemaps }
}
