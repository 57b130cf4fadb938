// A feed gives one record per entry. APIs that return one document per page join these records into one.
import { isObject, type JsonObject } from '../json.ts'
import type { Json, RecordData } from '../record.ts'

export const isFeedEntry = (data: RecordData): boolean => 'entry_id' in data && 'feed' in data

/** One record for the whole feed. Null if the records are not the entries of a feed. */
export function wholeFeed(records: readonly RecordData[]): RecordData | null {
  const [first] = records
  if (!first || !records.every(isFeedEntry)) return null
  const about = feedOf(first)
  return {
    ...first,
    title: about.title ?? null,
    description: about.description ?? null,
    markdown: feedMarkdown(about, records),
    text: records.map(entryText).join('\n\n'),
    links: linksOf(records),
  }
}

function feedMarkdown(
  { title = null, description = null }: { [key: string]: Json },
  records: readonly RecordData[],
): string {
  const head = [textOf(title) && `# ${escaped(textOf(title))}`, escaped(textOf(description))]
  return [...head, ...records.map(entryMarkdown)].filter(Boolean).join('\n\n')
}

/** A feed entry as Markdown: title with link, date and author, files, content. */
export function entryMarkdown(entry: RecordData): string {
  const title = escaped(textOf(entry.title)) || textOf(entry.link) || 'Untitled'
  const link = textOf(entry.link)
  const heading = link ? `## [${title}](${target(link)})` : `## ${title}`
  const facts = [textOf(entry.published_at) || textOf(entry.updated_at), escaped(textOf(entry.author))]
  const content = textOf(entry.markdown) || textOf(entry.text) || textOf(entry.description)
  const files = filesOf(entry).map(url => `- <${url}>`)
  return [heading, facts.filter(Boolean).join(' · '), content, files.join('\n')].filter(Boolean).join('\n\n')
}

/** A feed entry as plain text, with the same parts as `entryMarkdown`. */
export function entryText(entry: RecordData): string {
  const facts = [textOf(entry.published_at) || textOf(entry.updated_at), textOf(entry.author)]
  const content = textOf(entry.text) || textOf(entry.description)
  const lines = [textOf(entry.title), textOf(entry.link), facts.filter(Boolean).join(' · '), content]
  return [...lines, ...filesOf(entry)].filter(Boolean).join('\n')
}

/** The links of all entries, each once. */
const linksOf = (records: readonly RecordData[]): Json[] => [
  ...new Set(records.flatMap(({ links }) => (Array.isArray(links) ? links : []))),
]

const feedOf = ({ feed }: RecordData): JsonObject => (isObject(feed) ? feed : {})

function filesOf({ enclosures }: RecordData): string[] {
  const list = Array.isArray(enclosures) ? enclosures : []
  return list.flatMap(file => {
    const url = isObject(file) ? textOf(file.url) : ''
    return url ? [url] : []
  })
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value.trim() : '')
const escaped = (text: string): string => text.replace(/[\\[\]*`<]/g, '\\$&')
const target = (url: string): string =>
  url.replace(
    /[()\s<>]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
