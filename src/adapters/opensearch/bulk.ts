// OpenSearch's bulk format: two lines per record in the request, one result per record in the response.
import type { Sent, SinkRecord } from '../../ports/record-sink.ts'

const documentId = ({ jobId, n, index }: Pick<SinkRecord, 'jobId' | 'n' | 'index'>): string =>
  `${jobId}.${n}.${index}`

/** The index for a record. Index names are lower case and have at most 255 bytes. */
function indexOf(template: string, record: SinkRecord): string {
  const at = new Date(record.fetchedAt).toISOString()
  const values: Record<string, string> = {
    workspace: record.workspace,
    scraper: record.scraper.split('@', 1)[0]!,
    host: record.host,
    yyyy: at.slice(0, 4),
    mm: at.slice(5, 7),
    dd: at.slice(8, 10),
  }
  return template.replace(/\{(\w+)\}/g, (_, name: string) => plain(values[name] ?? '')).slice(0, 200)
}

const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9._-]+/g, '-')

export const bulkBody = (records: readonly SinkRecord[], template: string): string =>
  records
    .map(record => {
      const action = { index: { _index: indexOf(template, record), _id: documentId(record) } }
      return `${JSON.stringify(action)}\n${documentOf(record)}\n`
    })
    .join('')

/** The document as JSON text. The extracted data is already JSON, so it is not parsed again. */
function documentOf(record: SinkRecord): string {
  const facts = {
    ...{ job_id: record.jobId, task: record.n, index: record.index, workspace: record.workspace },
    ...{ url: record.url, final_url: record.finalUrl, host: record.host, status: record.status },
    ...{ fetched_at: new Date(record.fetchedAt).toISOString(), scraper: record.scraper },
    item_id: record.itemId,
  }
  return `${JSON.stringify(facts).slice(0, -1)},"data":${record.data}}`
}

interface BulkItem {
  status?: number
  error?: { type?: string; reason?: string; caused_by?: { reason?: string } }
}

/** The result of each record; null if the body is not a valid response for `count` records. */
export function readAnswers(body: string, count: number): Sent[] | null {
  const items = itemsIn(body)
  return items?.length === count ? items.map(sentOf) : null
}

function itemsIn(body: string): BulkItem[] | null {
  try {
    const { items } = JSON.parse(body) as { items?: Array<Record<string, BulkItem>> }
    return Array.isArray(items) ? items.map(item => Object.values(item)[0] ?? {}) : null
  } catch {
    return null
  }
}

function sentOf({ status = 0, error }: BulkItem): Sent {
  if (status >= 200 && status < 300) return { is: 'taken' }
  const reason = reasonOf(status, error)
  return { is: status === 429 || status >= 500 || status === 0 ? 'later' : 'dead', reason }
}

const mostReason = 1_000

function reasonOf(status: number, error: BulkItem['error']): string {
  const words = [error?.type, error?.reason, error?.caused_by?.reason].filter(Boolean)
  return `${status}${words.length > 0 ? ` ${words.join(': ')}` : ''}`.slice(0, mostReason)
}
