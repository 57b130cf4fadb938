// The `_page` object of an exported record: where the fields come from.
import { taskId } from '../../model/ids.ts'
import type { PageWay } from '../../model/policy/way.ts'
import type { PageNote, StoredRecord } from '../../model/record.ts'

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

/** The stored text with `_page` put in at the end; the fields are not parsed. */
export function recordJson(record: StoredRecord): string {
  const note = `"_page":${JSON.stringify(pageNote(record))}}`
  const fields = record.data.slice(0, record.data.lastIndexOf('}'))
  return fields.trimEnd() === '{' ? `{${note}` : `${fields},${note}`
}
