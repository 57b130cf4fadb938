// Additions to an exported record: `_page` describes its origin, `_input` is its input row.
import { taskId } from '../../model/ids.ts'
import type { PageWay } from '../../model/policy/way.ts'
import type { PageNote, RecordData, StoredRecord } from '../../model/record.ts'
import type { TableShape } from '../../model/table-shape.ts'

const plainly: PageWay = { way: 'http' }

export function pageNote(record: StoredRecord): PageNote {
  return {
    url: record.url,
    final_url: record.finalUrl,
    status: record.status,
    fetched_at: new Date(record.fetchedAt).toISOString(),
    task_id: taskId(record.jobId, record.n),
    scraper: record.scraper,
    ...(record.itemId !== null && { item_id: record.itemId }),
    ...(record.way === null ? plainly : (JSON.parse(record.way) as PageWay)),
  }
}

/** The stored JSON with `_input` and `_page` appended. The JSON is parsed only if the input row is flat. */
export function recordJson(record: StoredRecord, input: TableShape['input'] = 'nested'): string {
  const isFlat = input === 'flat' && record.input !== null
  const data = isFlat ? JSON.stringify(withFlatInput(record)) : record.data
  const row = input === 'nested' && record.input !== null ? `"_input":${record.input},` : ''
  const note = `${row}"_page":${JSON.stringify(pageNote(record))}}`
  const fields = data.slice(0, data.lastIndexOf('}'))
  return fields.trimEnd() === '{' ? `{${note}` : `${fields},${note}`
}

/** Puts the columns of the input row first. A column with the name of a field becomes `input_NAME`. */
export function withFlatInput(record: StoredRecord): RecordData {
  const data = JSON.parse(record.data) as RecordData
  const row = JSON.parse(record.input ?? '{}') as RecordData
  const columns = Object.entries(row).map(([name, value]) => [
    Object.hasOwn(data, name) ? inputName(name) : name,
    value,
  ])
  return { ...(Object.fromEntries(columns) as RecordData), ...data }
}

/** The name of an input column that has the same name as a field. */
export const inputName = (name: string): string => `input_${name}`
