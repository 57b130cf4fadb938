// Implements `PageView`, the interface that scrapers use to read a page, on top of the parsed document.
import { mainContent, wholePage } from '../../../extract/content/main-content.ts'
import { toMarkdown } from '../../../extract/content/markdown.ts'
import {
  compileSelector,
  type FlatDocument,
  type NodeId,
  parseDocument,
  type Selector,
  selectAll,
  selectFirst,
} from '../../../extract/document/index.ts'
import { elementText } from '../../../extract/element-text.ts'
import { compileJsonLdPath, findJsonLd } from '../../../extract/json-ld-path.ts'
import { findLinks } from '../../../extract/links.ts'
import { PageFacts } from '../../../extract/page-facts.ts'
import { pageKind } from '../../../extract/page-kind.ts'
import { thingsOf } from '../../../extract/things.ts'
import { visibleLines } from '../../../extract/visible-lines.ts'
import { decodeText } from '../../../fetch/http/index.ts'
import { cleanText } from '../../../lib/text/clean-text.ts'
import { Failure } from '../../../model/failures.ts'
import type { Line } from '../../../model/page/line.ts'
import type { Page } from '../../../model/page/page.ts'
import type { PageKindVerdict } from '../../../model/page/page-kind.ts'
import { isOfType, type Thing } from '../../../model/page/thing.ts'
import type { Json } from '../../../model/record.ts'
import type { PageView, Present } from '../../../scraper/page-view.ts'
import { formOf } from './page-form.ts'

const compiled = new Map<string, Selector>()

/** A compiled selector. It is cached, because scrapers use the same few selectors for every page. */
function selectorOf(css: string): Selector {
  const known = compiled.get(css) ?? compileSelector(css)
  if (compiled.size < 10_000) compiled.set(css, known)
  return known
}

/** What a view can do in addition to reading: wait for later content, and request a browser. */
interface ViewLinks {
  /** Creates a view of the page in a later state. From then on, the scraper session uses `page` as its last page. */
  renewed: (page: Page) => PageView
  /** Creates the failure after which the page is requested again with a browser; null if a browser is not allowed. */
  needBrowser: ((why: string) => Failure) | null
}

/** The view of a whole page. */
export const pageViewOf = (source: string, page: Page, links: ViewLinks = onlyLooking): PageView =>
  viewOf(new ParsedPage(parseDocument(source), page, links), 0)

const onlyLooking: ViewLinks = {
  renewed: page => pageViewOf(decodeText(page), page),
  needBrowser: null,
}

/** A parsed page. Values such as the base URL are computed on first use and cached. */
class ParsedPage {
  readonly document: FlatDocument
  readonly facts: PageFacts
  readonly page: Page
  readonly links: ViewLinks
  #base: string | null = null
  #things: Thing[] | null = null
  #lines: Line[] | null = null
  #kind: PageKindVerdict | null = null

  constructor(document: FlatDocument, page: Page, links: ViewLinks) {
    this.links = links
    this.document = document
    this.facts = new PageFacts(document)
    this.page = page
  }

  /** The base of relative addresses. */
  get base(): string {
    this.#base ??= findLinks(this.document, this.page.finalUrl).base
    return this.#base
  }

  get lines(): Line[] {
    this.#lines ??= visibleLines(this.document)
    return this.#lines
  }

  get kind(): PageKindVerdict {
    this.#kind ??= pageKind(this.facts)
    return this.#kind
  }

  get things(): Thing[] {
    this.#things ??= thingsOf(this.document, this.base)
    return this.#things
  }
}

const viewOf = (parsed: ParsedPage, from: NodeId): PageView => ({
  url: parsed.page.url,
  finalUrl: parsed.page.finalUrl,
  status: parsed.page.status,
  language: parsed.facts.language,
  fetchedAt: parsed.page.endedAt,
  source: parsed.document.source,
  ...elementsOf(parsed, from),
  ...describedIn(parsed),
  ...loudAbout(parsed, from),
  ...waitingIn(parsed),
})

/** The methods that wait and scroll. In a view of a part of the page, they also apply to the whole page. */
function waitingIn({
  document,
  page,
  links,
}: ParsedPage): Pick<PageView, 'waitForContent' | 'scrollForContent'> {
  const live = page.rendered?.live
  const asItIs = () => viewOf(new ParsedPage(document, page, links), 0)
  const matches = (selector: string) => selectFirst(document, selectorOf(selector), 0) !== -1
  const later = async () => links.renewed({ ...page, body: Buffer.from(await live!.html()) })
  const plainly = (why: string) => {
    if (links.needBrowser) throw links.needBrowser(why)
    return asItIs()
  }
  return {
    async waitForContent(selector, { timeoutMs = usualWaitMs } = {}) {
      if (matches(selector)) return asItIs()
      if (!live) return plainly(`the scraper waits for ${selector}, which is not in the page`)
      await live.waitFor(selector, timeoutMs)
      return later()
    },
    async scrollForContent({ times = usualScrolls, until, timeoutMs = usualWaitMs } = {}) {
      if (until !== undefined && matches(until)) return asItIs()
      if (!live) return plainly(`the scraper scrolls for ${until ?? 'more'}`)
      await live.scroll({ times, timeoutMs, ...(until !== undefined && { until }) })
      return later()
    },
  }
}

const usualWaitMs = 10_000
const usualScrolls = 10

type Elements = Pick<
  PageView,
  'text' | 'attr' | 'html' | 'all' | 'each' | 'table' | 'form' | 'links' | 'markdown'
>

function elementsOf(parsed: ParsedPage, from: NodeId): Elements {
  const { document } = parsed
  const first = (selector: string) => selectFirst(document, selectorOf(selector), from)
  const every = (selector: string) => selectAll(document, selectorOf(selector), from)
  const read = <Value>(selector: string, of: (node: NodeId) => Value): Value | null => {
    const node = first(selector)
    return node === -1 ? null : of(node)
  }
  return {
    text: selector => read(selector, node => textOf(document, node)),
    attr: (selector, name) => read(selector, node => document.attribute(node, name)),
    html: selector => read(selector, node => document.innerHtml(node)),
    all: selector => every(selector).map(node => textOf(document, node)),
    each: selector => every(selector).map(node => viewOf(parsed, node)),
    table: selector => read(selector, node => tableOf(document, node)) ?? [],
    form: selector => formOf(document, first(selector), selector, parsed.page.finalUrl, parsed.base),
    links: () => addresses(every('a[href], area[href]'), parsed),
    markdown: () => toMarkdown(document, contentOf(document, from), parsed.base),
  }
}

const textOf = (document: FlatDocument, node: NodeId): string => cleanText(elementText(document, node))

function contentOf(document: FlatDocument, from: NodeId) {
  return from === 0 ? mainContent(document) : { ...wholePage(document), root: from }
}

function addresses(nodes: NodeId[], { document, base }: ParsedPage): string[] {
  const urls = nodes.map(node => URL.parse(document.attribute(node, 'href')!.trim(), base))
  return [...new Set(urls.filter(url => url?.protocol.startsWith('http')).map(url => url!.href))]
}

function describedIn(
  parsed: ParsedPage,
): Pick<PageView, 'meta' | 'jsonld' | 'things' | 'kind' | 'json' | 'lines'> {
  const { facts, page } = parsed
  return {
    meta: (...names) => firstMeta(facts, names),
    jsonld: path => findJsonLd(facts.jsonLd, compileJsonLdPath(path, 'jsonld'))[0]?.value ?? null,
    lines: () => parsed.lines,
    things: type => (type ? parsed.things.filter(thing => isOfType(thing, type)) : parsed.things),
    kind: () => parsed.kind,
    json: () => jsonOf(facts.document.source, page),
  }
}

function firstMeta(facts: PageFacts, names: string[]): string | null {
  for (const name of names) {
    const value = cleanText(facts.meta.get(name.toLowerCase())?.[0] ?? '')
    if (value !== '') return value
  }
  return null
}

function jsonOf(source: string, page: Page): Json {
  try {
    return JSON.parse(source) as Json
  } catch (cause) {
    throw new Failure('extract.site-changed', `${page.finalUrl} is not JSON`, {}, { cause })
  }
}

function loudAbout({ document, page }: ParsedPage, from: NodeId): Pick<PageView, 'expect' | 'require'> {
  return {
    expect(selector, pattern) {
      const node = selectFirst(document, selectorOf(selector), from)
      expectText(page, selector, node === -1 ? null : textOf(document, node), pattern)
    },
    require: fields => present(page, fields),
  }
}

function expectText(page: Page, selector: string, text: string | null, pattern?: RegExp): void {
  if (text !== null && (!pattern || text.search(pattern) !== -1)) return
  const found =
    text === null ? 'matches nothing' : `has the text "${text.slice(0, 80)}", which does not match ${pattern}`
  throw new Failure(
    'extract.site-changed',
    `${page.finalUrl}: ${selector} ${found}; the site may have changed`,
    { selector },
  )
}

function present<Fields extends Record<string, unknown>>(page: Page, fields: Fields): Present<Fields> {
  const missing = Object.keys(fields).filter(name => isMissing(fields[name]))
  if (missing.length === 0) return fields as Present<Fields>
  throw new Failure(
    'extract.site-changed',
    `${page.finalUrl} has no ${missing.join(', no ')}; the site may have changed`,
    { missing },
  )
}

const isMissing = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

function tableOf(document: FlatDocument, table: NodeId): Array<Record<string, string>> {
  const rows = selectAll(document, selectorOf('tr'), table).map(row => cellsOf(document, row))
  const head = rows[0]?.every(cell => cell.isHead) ? rows.shift()! : []
  return rows.map(row =>
    Object.fromEntries(row.map((cell, index) => [head[index]?.text || String(index), cell.text])),
  )
}

function cellsOf(document: FlatDocument, row: NodeId): Array<{ text: string; isHead: boolean }> {
  return selectAll(document, selectorOf('th, td'), row).map(cell => ({
    text: textOf(document, cell),
    isHead: document.name(cell) === 'th' || inHead(document, row),
  }))
}

const inHead = (document: FlatDocument, row: NodeId): boolean =>
  document.name(document.parent(row)) === 'thead'
