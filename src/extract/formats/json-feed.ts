// Recognizes and parses JSON Feed.
import { isObject, type JsonObject } from '../../model/json.ts'
import type { Json } from '../../model/record.ts'
import { type Enclosure, type Feed, type FeedEntry, maxEntries, newEntry, newFeed } from './feed.ts'

/** Null if the JSON is not a feed. */
export function readJsonFeed(value: Json | undefined): Feed | null {
  if (!isObject(value) || !Array.isArray(value.items)) return null
  if (!text(value.version).startsWith('https://jsonfeed.org/version/')) return null
  return {
    ...newFeed(),
    title: escaped(text(value.title)),
    description: escaped(text(value.description)),
    link: text(value.home_page_url),
    author: authorOf(value),
    image: text(value.icon) || text(value.favicon),
    language: text(value.language),
    next: text(value.next_url),
    entries: value.items.filter(isObject).slice(0, maxEntries).map(entryOf),
  }
}

const entryOf = (item: JsonObject): FeedEntry => ({
  ...newEntry(),
  id: text(item.id),
  link: text(item.url) || text(item.external_url),
  title: escaped(text(item.title)),
  summary: escaped(text(item.summary)),
  content: text(item.content_html) || escaped(text(item.content_text)),
  published: text(item.date_published),
  updated: text(item.date_modified),
  author: authorOf(item),
  categories: list(item.tags).map(text),
  enclosures: list(item.attachments).filter(isObject).map(attachment),
  image: text(item.image) || text(item.banner_image),
  duration: list(item.attachments).filter(isObject).map(durationOf).find(Boolean) ?? '',
})

const durationOf = (item: JsonObject): string => text(item.duration_in_seconds)

const authorOf = ({ authors, author }: JsonObject): string =>
  escaped(list(authors).map(nameOf).filter(Boolean).join(', ') || nameOf(author))

const attachment = (item: JsonObject): Enclosure => ({
  url: text(item.url),
  type: text(item.mime_type),
  bytes: text(item.size_in_bytes),
})

const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
const nameOf = (value: Json | undefined): string => (isObject(value) ? text(value.name) : '')

/** The value as text. Ids may be numbers. */
const text = (value: Json | undefined): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''

/** Escapes plain text for fields that are later parsed as markup. */
export const escaped = (plain: string): string => plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
