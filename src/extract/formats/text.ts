// Text responses that are not HTML. Feeds and JSON are parsed. Other text becomes the text of one record, trimmed and
// without control characters.
import { cutControls } from '../../lib/text/clean-text.ts'
import type { Coerce } from '../../model/extraction-rules.ts'
import type { Extracted } from '../../model/record.ts'
import type { PageNotes } from '../default-record.ts'
import type { FoundLinks } from '../links.ts'
import { type Feed, feedLinks, feedRecords } from './feed.ts'
import { jsonRecord, type ReadJson, readJson } from './json.ts'
import { readJsonFeed } from './json-feed.ts'
import { otherRecord } from './other-record.ts'
import { readXmlFeed } from './xml-feed.ts'

/** A text response after parsing. */
export interface ReadText {
  contentType: string
  text: string
  feed: Feed | null
  json: ReadJson | null
}

export function readTextual(contentType: string, text: string): ReadText {
  const json = /^application\/(?:[\w.-]+\+)?json$|^text\/json$/.test(contentType) ? readJson(text) : null
  const feed = json ? readJsonFeed(json.value) : isXml(contentType) ? readXmlFeed(text) : null
  return { contentType, text, feed, json }
}

/** Content types with which servers send feeds. HTML pages with the type `text/html` do not reach this code. */
const isXml = (type: string): boolean =>
  /xml|rss|atom|octet-stream|download/.test(type) || plainTypes.has(type)
const plainTypes = new Set(['', 'text/plain', 'text/html'])

export const linksOfText = ({ feed }: ReadText, base: string): FoundLinks | null =>
  feed && feedLinks(feed, base)

export function textRecords(page: PageNotes, read: ReadText, coerce: Coerce): Extracted[] {
  const { feed, json, contentType } = read
  if (feed) return feedRecords(page, feed, coerce)
  const text = cutControls(read.text).trim()
  if (json) return [jsonRecord(page, contentType, text, json)]
  const markdown = contentType === 'text/markdown' ? text : null
  return [otherRecord(page, { text, markdown, content_type: contentType || 'text/plain' })]
}
