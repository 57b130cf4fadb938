// Feeds (RSS, Atom, JSON Feed) as one type, and their records: one record per entry.
import { cleanText } from '../../lib/text/clean-text.ts'
import type { Coerce } from '../../model/extraction-rules.ts'
import type { Extracted, Json } from '../../model/record.ts'
import { wholePage } from '../content/main-content.ts'
import { toMarkdown } from '../content/markdown.ts'
import { toPlainText } from '../content/plain-text.ts'
import type { PageNotes } from '../default-record.ts'
import { absoluteLinks } from '../default-record.ts'
import { parseDocument } from '../document/index.ts'
import { type FoundLinks, findLinks } from '../links.ts'
import { otherRecord } from './other-record.ts'

export interface Feed {
  /** Treated as markup, because only some feeds escape their titles. */
  title: string
  description: string
  link: string
  language: string
  author: string
  image: string
  /** URL of the next page, if the feed has several pages. */
  next: string
  entries: FeedEntry[]
}

/** Values as in the feed. Empty if missing. */
export interface FeedEntry {
  id: string
  link: string
  title: string
  summary: string
  content: string
  published: string
  updated: string
  author: string
  categories: string[]
  enclosures: Enclosure[]
  image: string
  /** As in the feed: seconds, or `1:02:03`. */
  duration: string
}

export interface Enclosure {
  url: string
  type: string
  bytes: string
}

export const newFeed = (): Feed => ({
  title: '',
  description: '',
  link: '',
  language: '',
  author: '',
  image: '',
  next: '',
  entries: [],
})

export const newEntry = (): FeedEntry => ({
  id: '',
  link: '',
  title: '',
  summary: '',
  content: '',
  published: '',
  updated: '',
  author: '',
  categories: [],
  enclosures: [],
  image: '',
  duration: '',
})

/** Maximum number of entries that are read from one feed. A feed with more entries is an archive or broken. */
export const maxEntries = 10_000

/** Links for a crawl: the pages of the entries, and the next page of the feed. */
export function feedLinks({ entries, next }: Feed, base: string): FoundLinks {
  const hrefs = [...entries.map(entry => entry.link), next].filter(Boolean)
  return { base, hrefs, nofollow: hrefs.map(() => false), canonical: null, pageNofollow: false }
}

export function feedRecords(page: PageNotes, feed: Feed, coerce: Coerce): Extracted[] {
  const about = {
    title: textOf(feed.title),
    link: address(feed.link, page.finalUrl),
    description: textOf(feed.description),
    author: textOf(feed.author),
    image: address(feed.image, page.finalUrl),
  }
  const language = cleanText(feed.language) || null
  const context = { baseUrl: page.finalUrl, language, machine: true, now: page.fetchedAt }
  const dated = (text: string): Json => (text === '' ? null : coerce(text, 'date', context))
  if (feed.entries.length === 0) return [emptyFeed(page, about, language)]
  return feed.entries.map(entry => {
    const link = address(entry.link, page.finalUrl)
    return otherRecord(page, {
      title: textOf(entry.title),
      description: textOf(entry.summary),
      language,
      ...contentOf(entry, link ?? page.finalUrl),
      link,
      entry_id: cleanText(entry.id) || null,
      author: textOf(entry.author || feed.author),
      published_at: dated(entry.published),
      updated_at: dated(entry.updated),
      categories: [...new Set(entry.categories.map(cleanText).filter(Boolean))],
      enclosures: entry.enclosures.map(enclosure => enclosed(enclosure, page.finalUrl)),
      image: address(entry.image || enclosedAs('image', entry), page.finalUrl),
      audio: address(enclosedAs('audio', entry), page.finalUrl),
      video: address(enclosedAs('video', entry), page.finalUrl),
      duration_s: seconds(entry.duration),
      feed: about,
    })
  })
}

/** A feed without entries yields one record of the feed itself. No record at all would look like a failure. */
function emptyFeed(page: PageNotes, about: Record<string, Json>, language: string | null): Extracted {
  const { title, description, link } = about
  const head = [title === null ? '' : `# ${title}`, description ?? ''].filter(Boolean).join('\n\n')
  const text = [title, description].filter(Boolean).join('\n')
  const said = { title, description, language, text: text || null, markdown: head || null }
  const record = otherRecord(page, {
    ...said,
    links: link === null ? [] : [link],
    link,
    feed: about,
  } as Record<string, Json>)
  const message = `the feed ${page.finalUrl} has no entries; the record describes the feed itself`
  return { ...record, warnings: [{ code: 'feed.empty', message }] }
}

function contentOf(entry: FeedEntry, base: string): { text: Json; markdown: Json; links: Json[] } {
  const document = parseDocument(entry.content || entry.summary)
  const content = wholePage(document)
  const links = absoluteLinks(findLinks(document, base))
  return {
    text: toPlainText(document, content) || null,
    markdown: toMarkdown(document, content, base) || null,
    links: [...new Set(entry.link ? [base, ...links] : links)],
  }
}

const enclosedAs = (kind: 'image' | 'audio' | 'video', { enclosures }: FeedEntry): string =>
  enclosures.find(({ type }) => type.startsWith(`${kind}/`))?.url ?? ''

const enclosed = ({ url, type, bytes }: Enclosure, base: string): Json => ({
  url: address(url, base),
  content_type: type || null,
  bytes: /^\d{1,15}$/.test(bytes) ? Number(bytes) : null,
})

function textOf(markup: string): string | null {
  if (markup === '') return null
  const document = parseDocument(markup)
  return cleanText(toPlainText(document, wholePage(document))) || null
}

function address(href: string, base: string): string | null {
  const url = href.trim() === '' ? null : URL.parse(href.trim(), base)
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url.href : null
}

/** The number of seconds in `1:02:03`, `62:03` or plain seconds. Null for other text. */
function seconds(text: string): number | null {
  const parts = /^(?:(?:(\d{1,4}):)?(\d{1,4}):)?(\d{1,7})(?:\.\d+)?$/.exec(text.trim())
  if (parts === null) return null
  const [, hours = '0', minutes = '0', rest = '0'] = parts
  return Number(hours) * 3_600 + Number(minutes) * 60 + Number(rest)
}
