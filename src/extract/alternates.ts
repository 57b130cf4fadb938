// Other versions that a page names in `<link rel="alternate">`: translations and feeds.
import { cleanText } from '../lib/text/clean-text.ts'
import type { FlatDocument, NodeId } from './document/index.ts'
import { elementsNamed } from './elements-named.ts'
import { wordsOf } from './item-values.ts'

interface Feed {
  [key: string]: string | null
  url: string
  type: 'rss' | 'atom' | 'json'
  title: string | null
}

interface Alternates {
  /** URLs by language tag in lower case, including `x-default`. The first link of a language counts. */
  hreflang: { [language: string]: string }
  feeds: Feed[]
}

const feedTypes: Record<string, Feed['type']> = {
  'application/rss+xml': 'rss',
  'application/rdf+xml': 'rss',
  'application/atom+xml': 'atom',
  'application/feed+json': 'json',
}
const maxAlternates = 1_000

export function readAlternates(document: FlatDocument, baseUrl: string): Alternates {
  const alternates: Alternates = { hreflang: {}, feeds: [] }
  for (const node of elementsNamed(document, 'link').slice(0, maxAlternates)) {
    const rel = wordsOf(document.attribute(node, 'rel')).map(word => word.toLowerCase())
    if (!rel.includes('alternate') || rel.includes('stylesheet')) continue
    const url = webAddress(document.attribute(node, 'href'), baseUrl)
    if (url !== null) addAlternate(document, node, url, alternates)
  }
  return alternates
}

function addAlternate(document: FlatDocument, node: NodeId, url: string, alternates: Alternates): void {
  const [mediaType = ''] = (document.attribute(node, 'type') ?? '').split(';', 1)
  const type = mediaType.trim().toLowerCase()
  if (Object.hasOwn(feedTypes, type)) {
    addFeed(alternates.feeds, { url, type: feedTypes[type]!, title: titleOf(document, node) })
    return
  }
  const language = document.attribute(node, 'hreflang')?.trim().toLowerCase() ?? ''
  if (/^[a-z]{1,8}(?:[-_][a-z0-9]{1,8}){0,4}$/.test(language))
    alternates.hreflang[language.replaceAll('_', '-')] ??= url
}

function addFeed(feeds: Feed[], feed: Feed): void {
  if (!feeds.some(known => known.url === feed.url)) feeds.push(feed)
}

const titleOf = (document: FlatDocument, node: NodeId): string | null =>
  cleanText(document.attribute(node, 'title') ?? '') || null

function webAddress(href: string | null, baseUrl: string): string | null {
  const url = href === null || href.trim() === '' ? null : URL.parse(href.trim(), baseUrl)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}
