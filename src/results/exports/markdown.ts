// Markdown: one section per record.
import type { Json, RecordData, StoredRecord } from '../../model/record.ts'
import type { TextFormat } from './text-format.ts'

export const markdown: TextFormat = { head: '', row: section, between: '', tail: '' }

function section(record: StoredRecord): string {
  const data: RecordData = JSON.parse(record.data)
  const title = oneLine(textOf(data.title) || textOf(data.name) || record.finalUrl)
  const body = textOf(data.markdown).trim() || fieldList(data)
  return `# ${title}\n\n<${record.finalUrl}>\n\n${body}\n\n---\n\n`
}

function fieldList(data: RecordData): string {
  return Object.entries(data)
    .map(([name, value]) => `- **${name}**: ${oneLine(shown(value))}`)
    .join('\n')
}

const shown = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()
