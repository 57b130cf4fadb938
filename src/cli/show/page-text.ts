// Formats a scraped page as text in the requested format, and the messages about it for stderr.
import { entryMarkdown, entryText, isFeedEntry } from '../../model/page/feed-records.ts'
import type { RecordData } from '../../model/record.ts'
import { remedyOf } from '../../model/remedies.ts'
import { isEmpty } from '../../pipeline/report/missing-fields.ts'
import type { ScrapeFlags } from '../flags/flags.ts'
import type { ScrapedPage, ScrapedRecord } from '../jobs/page-reader.ts'
import { safe } from '../talk.ts'

interface PageTextOptions {
  format: ScrapeFlags['format']
  full: boolean
  /** Whether a record also contains `_page`, which says how its page was fetched. */
  withPage: boolean
  /** Whether the page is one of several. Then records are printed as lines of JSON. */
  isOneOfMany: boolean
  /** Whether the user asked for fields. Then fields without a value are reported. */
  hasRules: boolean
}

export interface PageText {
  /** The text; null if there is nothing to print. */
  text: string | null
  /** Messages for stderr. */
  notes: string[]
}

export async function pageText(page: ScrapedPage, options: PageTextOptions): Promise<PageText> {
  if (page.state !== 'succeeded') return { text: null, notes: [whyNot(page)] }
  const { format, full } = options
  if (format === 'html') return { text: ((await page.source()) ?? '').trimEnd(), notes: [] }
  const records = await page.records()
  const notes = [
    ...(page.message !== null ? [safe(page.message)] : []),
    ...browserNote(page, records),
    ...warningsOf(records),
    ...(options.hasRules ? missingNote(page, records) : []),
  ]
  const whole = full && (format === 'markdown' || format === 'text') ? await page.whole(format) : null
  if (whole !== null) return { text: whole.trimEnd(), notes }
  const isOneOfMany = options.isOneOfMany || records.length > 1
  const texts = records.map(record => recordText(record, { ...options, isOneOfMany }))
  const hasText = texts.some(text => text !== '') || format === 'links'
  if (hasText || records.length === 0) return { text: records.length > 0 ? texts.join('\n') : null, notes }
  return { text: null, notes: [...notes, `${page.url} has no text; --format json shows its metadata`] }
}

/** A message if a browser loaded the page, because a browser takes longer and may show other content. */
function browserNote({ url }: ScrapedPage, records: ScrapedRecord[]): string[] {
  const rendered = records.find(({ note }) => note.way === 'browser')
  if (!rendered) return []
  const why = rendered.note.why ? ` (${safe(rendered.note.why)})` : ''
  return [`${url} was loaded in a browser${why}; to load it without a browser, use --render never`]
}

/** Names the fields that are empty in every record of the page. Their selectors may be wrong. */
function missingNote({ url }: ScrapedPage, records: ScrapedRecord[]): string[] {
  const names = Object.keys(records[0]?.data ?? {})
  const missing = names.filter(name => records.every(({ data }) => isEmpty(data[name])))
  return missing.length > 0 ? [`${url} has no value for ${missing.map(safe).join(', ')}`] : []
}

const warningsOf = (records: ScrapedRecord[]): string[] =>
  records.flatMap(({ note }) =>
    (note.warnings ?? []).map(({ code, message }) => `warning: ${safe(message)} (${code})`),
  )

function whyNot({ url, state, reason, message }: ScrapedPage): string {
  const why = safe(message ?? 'it was not fetched yet')
  const named = why.includes(new URL(url).host) ? why : `${url}: ${why}`
  const way = remedyOf(reason)
  return `${named} (${reason ?? state})${way ? `; ${way}` : ''}`
}

function recordText(record: ScrapedRecord, { format, withPage, isOneOfMany }: PageTextOptions): string {
  if (format !== 'json') return textAs(record.data, format)
  return JSON.stringify(fieldsOf(record, withPage), null, isOneOfMany ? 0 : 2)
}

/** The fields of the record, with `_page` if it was requested, if a browser loaded the page, or if there are warnings. */
function fieldsOf({ data, note }: ScrapedRecord, withPage: boolean): RecordData {
  if (!withPage && note.way !== 'browser' && !note.warnings) return data
  return { ...data, _page: JSON.parse(JSON.stringify(note)) as RecordData }
}

/** The text of a record in this format. Content that is not HTML has text but no markdown, so its text is used. */
function textAs(record: RecordData, format: 'markdown' | 'text' | 'links' | 'html'): string {
  if (format === 'links') return ((record.links ?? []) as string[]).join('\n')
  // A feed entry is printed with its title, link and date, which its content does not contain.
  if (isFeedEntry(record)) return format === 'markdown' ? entryMarkdown(record) : entryText(record)
  const text = (format === 'markdown' ? record.markdown : null) ?? record.text
  // An image has no text, so its metadata is printed.
  return typeof text === 'string' ? text.trimEnd() : JSON.stringify(record, null, 2)
}
