// Writes Markdown with one section per record.
import { withoutHtml } from '../../lib/text/markdown-html.ts'
import type { Json, RecordData, StoredRecord } from '../../model/record.ts'
import type { TableShape } from '../../model/table-shape.ts'
import { withFlatInput } from './page-note.ts'
import type { TextFormat } from './text-format.ts'

export const markdown = ({ input }: TableShape): TextFormat => ({
  head: '',
  row: record => section(record, dataOf(record, input)),
  between: '',
  tail: '',
})

function dataOf(record: StoredRecord, input: TableShape['input']): RecordData {
  if (input === 'flat') return withFlatInput(record)
  const data = JSON.parse(record.data) as RecordData
  return input === 'none' || record.input === null
    ? data
    : { ...data, _input: JSON.parse(record.input) as RecordData }
}

function section(record: StoredRecord, data: RecordData): string {
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

/** A value on one line. "<" and "&" become entities, so that no value becomes HTML. */
const asText = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/&(?=#?\w{1,32};)/g, '&amp;')
    .replace(/<(?=[a-zA-Z/!?])/g, '&lt;')

/** Encodes ">" and spaces, because they would end an autolink. */
const address = (url: string): string => url.replace(/[<>\s]/g, encodeURIComponent)
