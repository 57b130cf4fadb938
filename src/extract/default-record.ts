// The record of a page for which no rules are given: title, content and links.
import { cleanText } from '../lib/text/clean-text.ts'
import type { PageWarning } from '../model/page/page-warning.ts'
import type { Extracted, FieldSource, Json, Provenance, RecordData } from '../model/record.ts'
import { AddressResolver } from './address-resolver.ts'
import { contentWarnings } from './content/content-warnings.ts'
import { mainContent } from './content/main-content.ts'
import { toMarkdown } from './content/markdown.ts'
import { toPlainText } from './content/plain-text.ts'
import { type FlatDocument, nameSet, nextNamed, tag } from './document/index.ts'
import { elementText } from './element-text.ts'
import { elementsNamed } from './elements-named.ts'
import { type FoundLinks, findLinks } from './links.ts'
import { PageFacts } from './page-facts.ts'
import { structuredData } from './structured-data.ts'

export interface PageNotes {
  url: string
  finalUrl: string
  status: number
  /** In epoch ms. */
  fetchedAt: number
}

const maxHeadings = 1_000
/** Limit for all headings together. Without it, nested headings could multiply the size of a page. */
const maxHeadingCharacters = 1_000_000
/** Maximum number of links in one record. */
const maxLinks = 10_000
const fromPage: FieldSource = { from: 'page' }
const nowhere: FieldSource = { from: 'none', why: 'the page does not state it' }

/** `links` are the links of the page, if the caller has already found them. */
export function defaultRecord(document: FlatDocument, page: PageNotes, links?: FoundLinks): Extracted {
  const facts = new PageFacts(document)
  const found = links ?? findLinks(document, page.finalUrl)
  const content = mainContent(document, facts)
  const title = titleOf(facts)
  const text = toPlainText(document, content)
  const suspicions = contentWarnings({
    document,
    content,
    text,
    title,
    visibleLength: facts.shape.textLength,
  })
  const record = withSources({
    ...notesOf(page),
    title,
    page_kind: content.kind.kind,
    canonical: found.canonical,
    description: firstMeta(facts, 'description', 'og:description', 'twitter:description'),
    language: facts.language ?? firstMeta(facts, 'content-language', 'og:locale'),
    headings: headingsOf(document),
    text,
    markdown: toMarkdown(document, content, found.base),
    links: absoluteLinks(found),
    structured_data: structuredData(facts, found.base) as RecordData,
    fetched_at: new Date(page.fetchedAt).toISOString(),
  })
  const warnings = [...suspicions, ...excessWarnings(facts)]
  return warnings.length > 0 ? { ...record, warnings } : record
}

const excessWarnings = ({ excesses }: PageFacts): PageWarning[] =>
  excesses.map(message => ({ code: 'page.cut', message }))

const notesOf = (page: PageNotes): RecordData => ({
  url: page.url,
  final_url: page.finalUrl,
  status: page.status,
})

function withSources(data: RecordData): Extracted {
  const provenance: Provenance = {}
  for (const key of Object.keys(data)) provenance[key] = data[key] === null ? nowhere : fromPage
  return { data, provenance }
}

export function titleOf(facts: PageFacts): string | null {
  const { document } = facts
  const title = elementsNamed(document, 'title').find(node => !document.isForeign(node))
  const written = title === undefined ? '' : cleanText(document.text(title))
  return written || firstMeta(facts, 'og:title', 'twitter:title')
}

function firstMeta(facts: PageFacts, ...names: string[]): string | null {
  for (const name of names) {
    const value = cleanText(facts.meta.get(name)?.[0] ?? '')
    if (value !== '') return value
  }
  return null
}

function headingsOf(document: FlatDocument): Json[] {
  const headings: Json[] = []
  let left = maxHeadingCharacters
  let node = nextNamed(document, headingElements, 1)
  while (node !== -1 && headings.length < maxHeadings && left > 0) {
    const id = document.tag(node)
    if (id === tag.template) node = document.end(node) - 1
    else {
      const text = cleanText(elementText(document, node))
      left -= text.length
      addHeading(headings, id - tag.h1 + 1, text)
    }
    node = nextNamed(document, headingElements, node + 1)
  }
  return headings
}

const headingElements = nameSet('h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'template')

function addHeading(headings: Json[], level: number, text: string): void {
  if (text !== '') headings.push({ level, text })
}

/** Absolute http and https URLs without fragments, up to `maxLinks`. Each occurs once, in document order. */
export function absoluteLinks({ hrefs, base }: Pick<FoundLinks, 'hrefs' | 'base'>): string[] {
  const resolver = new AddressResolver(base)
  const seen = new Set<string>()
  for (const href of hrefs) {
    const address = resolver.resolve(href)
    if (address === null || !webAddress.test(address)) continue
    const hash = address.indexOf('#')
    seen.add(hash === -1 || hash === address.length - 1 ? address : address.slice(0, hash))
    if (seen.size === maxLinks) break
  }
  return [...seen]
}

const webAddress = /^https?:/
