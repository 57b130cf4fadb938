// Prints the sources of fields for `jobs show`: counted for a job, or listed for one task.

import { sourceText } from '../../lib/field-sources.ts'
import type { SourceCount, SourceCounts } from '../../lib/source-counts.ts'
import { countOf } from '../../lib/text/units.ts'
import { taskId } from '../../model/ids.ts'
import type { RecordData, StoredRecord } from '../../model/record.ts'
import type { Attempt } from '../../model/task.ts'
import { sourcesIn, type TaskReading } from '../../pipeline/report/field-sources.ts'
import { safe } from '../talk.ts'

/** Maximum number of sources that are listed per field. The other sources are counted together. */
const shownWays = 5

/** The lines about sources. Empty for default records, whose source is always the page. */
export function sourceLines({ records, fields }: SourceCounts, total: number): string[] {
  const told = Object.entries(fields).filter(([, ways]) => ways.some(isTelling))
  if (told.length === 0) return []
  const width = Math.max(...told.map(([field]) => field.length))
  const which = records < total ? `the first ${records} of ${total} records` : countOf(total, 'record')
  return [
    `sources of the fields of ${which}:`,
    ...told.map(([field, ways]) => `  ${field.padEnd(width)}  ${waysText(ways)}`),
    ...(records < total ? ['  (--provenance counts all of them)'] : []),
  ]
}

const isTelling = ({ from, why }: SourceCount): boolean => from !== 'page' && !(from === 'none' && !why)

function waysText(ways: SourceCount[]): string {
  const shown = ways.slice(0, shownWays).map(wayText)
  const rest = ways.slice(shownWays).reduce((sum, { count }) => sum + count, 0)
  return [...shown, ...(rest > 0 ? [`from other sources ${rest}`] : [])].join(', ')
}

function wayText({ count, ...source }: SourceCount): string {
  const { from, why, wrong } = source
  if (wrong === undefined && why === undefined) return `${safe(sourceText(source))} ${count}`
  if (from === 'none' || wrong !== undefined) return `none ${count} (${safe(sourceText(source))})`
  return `${from} ${count} (${safe(why ?? '')})`
}

export function taskLines({ task, attempts, records }: TaskReading): string[] {
  const { jobId, n, state, reason, message, url, itemId, input } = task
  const why = [reason, message].filter(Boolean).join(': ')
  return [
    `${taskId(jobId, n)}  ${state}${why ? `  ${safe(why)}` : ''}`,
    `  ${url || `row ${safe(input ?? '')}`}${itemId ? `, item ${itemId}` : ''}`,
    ...attempts.map(attempt => `  ${attemptText(attempt)}`),
    ...(records.length === 0 ? ['  no records'] : []),
    ...records.flatMap(recordLines),
  ]
}

function attemptText({ attempt, way, startedAt, endedAt, outcome, status, raw, artifacts }: Attempt): string {
  const answer = status === null ? '' : `, HTTP ${status}`
  const kept = raw ? `, stored in ${raw.key}` : ''
  const files = artifacts.map(({ key }) => `, ${key}`).join('')
  const how = way === 'browser' ? ' by browser' : ''
  const at = new Date(startedAt).toISOString()
  return `attempt ${attempt}${how} at ${at}: ${outcome}${answer}, ${endedAt - startedAt} ms${kept}${files}`
}

/** Maximum length of a printed value. An export contains the full record. */
const shownValue = 100

function recordLines({ index, scraper, data, provenance }: StoredRecord): string[] {
  const values = JSON.parse(data) as RecordData
  const sources = sourcesIn(provenance)
  const fields = [...new Set([...Object.keys(values), ...Object.keys(sources)])]
  const width = Math.max(0, ...fields.map(field => field.length))
  return [
    `  record ${index} by ${scraper}:`,
    ...fields.map(field => {
      const source = sources[field]
      const from = source ? `  ← ${safe(sourceText(source))}` : ''
      return `    ${field.padEnd(width)}  ${field in values ? valueText(values[field]) : '(nested)'}${from}`
    }),
  ]
}

function valueText(value: unknown): string {
  const text = safe(JSON.stringify(value) ?? 'null')
  return text.length > shownValue ? `${text.slice(0, shownValue)}…` : text
}

export const recordFacts = ({ index, scraper, finalUrl, fetchedAt, data, provenance }: StoredRecord) => ({
  index,
  scraper,
  final_url: finalUrl,
  fetched_at: new Date(fetchedAt).toISOString(),
  data: JSON.parse(data) as RecordData,
  provenance: sourcesIn(provenance),
})

export const attemptFacts = (attempt: Attempt) => ({
  attempt: attempt.attempt,
  started_at: new Date(attempt.startedAt).toISOString(),
  ended_at: new Date(attempt.endedAt).toISOString(),
  outcome: attempt.outcome,
  message: attempt.message,
  status: attempt.status,
  bytes: attempt.bytes,
  raw: attempt.raw,
  way: attempt.way,
  artifacts: attempt.artifacts.map(({ name, fileName, type, bytes, key }) => ({
    name,
    file_name: fileName,
    type,
    bytes,
    key,
  })),
})
