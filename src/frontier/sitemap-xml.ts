// A streaming parser for the XML of sitemaps and feeds. Entries before an error are kept. It supports no DTD and no custom entities.
import { SaxesParser, type SaxesTagPlain } from 'saxes'

export type SitemapKind = 'urlset' | 'index' | 'text' | 'feed'

export interface SitemapEntry {
  /** The URL as in the file; not validated. */
  loc: string
  /** The date as in the file; unset if it is not a date. */
  lastmod?: string
  /** Between 0 and 1. */
  priority?: number
}

const kinds: Record<string, SitemapKind> = {
  urlset: 'urlset',
  sitemapindex: 'index',
  rss: 'feed',
  rdf: 'feed',
  feed: 'feed',
}
const entryNames = new Set(['url', 'sitemap', 'item', 'entry'])
const fieldNames = new Set(['loc', 'lastmod', 'priority', 'link', 'pubdate', 'updated', 'date'])

const maxNesting = 100
const maxTextLength = 10_000
const maxProblems = 10
/** Parsing stops after this many XML errors, if there are also more than ten errors per URL. */
const hopelessFaults = 1_000

/** An `&` that does not start a known entity. It counts as a literal character, as in most pasted URLs. */
const bareAmpersand = /&(?!(?:#\d{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos);)/gi
/** An `&` at the end of a chunk. It may become an entity together with the next chunk. */
const openAmpersand = /&[#\w]{0,8}$/

/** The name of an element without its prefix. Namespaces are ignored, because many files declare them wrongly or not at all. */
const localName = (name: string): string => name.slice(name.indexOf(':') + 1).toLowerCase()

export class SitemapXml {
  kind: SitemapKind = 'urlset'
  readonly urls: SitemapEntry[] = []
  readonly sitemaps: string[] = []
  readonly problems: string[] = []
  /** Whether parsing has stopped, because a limit is reached or the file is not a sitemap. */
  stopped = false
  truncated = false
  readonly #parser = new SaxesParser()
  readonly #maxUrls: number
  readonly #open: string[] = []
  #entry: Partial<SitemapEntry> = {}
  #text: string | null = null
  #sawRoot = false
  #heldBack = ''
  #faults = 0

  constructor(maxUrls: number) {
    this.#maxUrls = maxUrls
    this.#parser.on('opentag', tag => this.#opened(tag))
    this.#parser.on('closetag', tag => this.#closed(localName(tag.name)))
    this.#parser.on('text', text => this.#read(text))
    // `write` has escaped every bare `&`. CDATA has no entities, so undo this.
    this.#parser.on('cdata', text => this.#read(text.replaceAll('&amp;', '&')))
    this.#parser.on('error', error => this.#faulted(error.message))
  }

  write(chunk: string): void {
    if (this.stopped) return
    const text = this.#heldBack + chunk
    this.#heldBack = openAmpersand.exec(text)?.[0] ?? ''
    this.#feed(text.slice(0, text.length - this.#heldBack.length))
  }

  close(): void {
    if (this.stopped) return
    this.#feed(this.#heldBack)
    if (this.#open.length > 0) this.truncated = true
    this.#parser.close()
  }

  #feed(text: string): void {
    this.#parser.write(text.replace(bareAmpersand, '&amp;'))
  }

  #faulted(message: string): void {
    this.#report(message)
    this.#faults++
    const found = this.urls.length + this.sitemaps.length
    if (this.#faults > hopelessFaults && this.#faults > found * 10)
      this.#cutOff('too many XML errors; the rest is not read')
  }

  #report(problem: string): void {
    if (!this.stopped && this.problems.length < maxProblems) this.problems.push(problem)
  }

  #stop(problem: string): void {
    this.#report(problem)
    this.stopped = true
  }

  #cutOff(problem: string): void {
    this.truncated = true
    this.#stop(problem)
  }

  #opened(tag: SaxesTagPlain): void {
    if (this.stopped) return
    const name = localName(tag.name)
    const parent = this.#open.at(-1)
    if (!this.#sawRoot) this.#openRoot(name)
    if (this.#open.push(name) > maxNesting) this.#cutOff(`elements nested more than ${maxNesting} deep`)
    if (entryNames.has(name)) this.#entry = {}
    // Only fields directly in an entry count. Fields of an extension (`image:loc` in `image:image`) have another parent.
    this.#text = parent !== undefined && entryNames.has(parent) && fieldNames.has(name) ? '' : null
    if (name === 'link' && parent === 'entry') this.#takeAtomLink(tag.attributes)
  }

  /** Handles the root element. Only the first element is checked, because in broken files later entries may be outside of the root. */
  #openRoot(name: string): void {
    this.#sawRoot = true
    const kind = kinds[name]
    if (kind === undefined)
      this.#stop(`the root element is <${name.slice(0, 50)}>, so it is not a sitemap or feed`)
    else this.kind = kind
  }

  #takeAtomLink({ rel, href }: Record<string, string>): void {
    if (href !== undefined && (rel === undefined || rel === 'alternate')) this.#entry.loc ??= href.trim()
  }

  #read(text: string): void {
    if (this.#text !== null && this.#text.length < maxTextLength) this.#text += text
  }

  #closed(name: string): void {
    if (this.stopped) return
    this.#open.pop()
    if (this.#text !== null) this.#takeField(name, this.#text.trim())
    this.#text = null
    if (entryNames.has(name)) this.#finishEntry(name)
  }

  #takeField(name: string, text: string): void {
    if (text === '') return
    if (name === 'loc' || name === 'link') this.#entry.loc ??= text
    else if (name === 'priority') this.#takePriority(Number(text))
    else if (!Number.isNaN(Date.parse(text))) this.#entry.lastmod ??= text
  }

  #takePriority(priority: number): void {
    if (priority >= 0 && priority <= 1) this.#entry.priority = priority
  }

  #finishEntry(name: string): void {
    const { loc, ...rest } = this.#entry
    this.#entry = {}
    if (loc === undefined) return
    if (this.urls.length + this.sitemaps.length >= this.#maxUrls) {
      this.#cutOff(`more than ${this.#maxUrls} URLs; the rest was not read`)
    } else if (name === 'sitemap') this.sitemaps.push(loc)
    else this.urls.push({ loc, ...rest })
  }
}
