// Markdown: one section per record.
import { withoutHtml } from '../../lib/text/markdown-html.ts'
import type { Json, RecordData, StoredRecord } from '../../model/record.ts'
import type { TextFormat } from './text-format.ts'

export const markdown: TextFormat = { head: '', row: section, between: '', tail: '' }

function section(record: StoredRecord): string {
  const data: RecordData = JSON.parse(record.data)
  const title = asText(textOf(data.title) || textOf(data.name) || record.finalUrl)
  const body = withoutHtml(textOf(data.markdown).trim()) || fieldList(data)
  return `# ${title}\n\n<${address(record.finalUrl)}>\n\n${body}\n\n---\n\n`
}

function fieldList(data: RecordData): string {
  return Object.entries(data)
    .map(([name, value]) => `- **${asText(name)}**: ${asText(shown(value))}`)
    .join('\n')
}

const shown = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** A value on one line. "<" and "&" become entities, so that no value can turn into HTML or hide what it is. */
const asText = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/&(?=#?\w{1,32};)/g, '&amp;')
    .replace(/<(?=[a-zA-Z/!?])/g, '&lt;')

/** An autolink ends at the first ">" or space. */
const address = (url: string): string => url.replace(/[<>\s]/g, encodeURIComponent)
