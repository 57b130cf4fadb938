// The status of a batch or crawl in Firecrawl's form, with pages of documents in order of arrival.
import { recordPages } from '../../../lib/list-pages.ts'
import { hasEnded, type Job, type JobCounts } from '../../../model/job.ts'
import type { StoredRecord } from '../../../model/record.ts'
import { cancelledReason } from '../../../pipeline/coordinate/running-job.ts'
import { isoTime } from '../../http/responses.ts'
import type { Server } from '../../parts.ts'
import { type Document, documentOf } from './document.ts'
import type { FoundJob } from './routes.ts'
import type { DocumentParts } from './source.ts'

type TheirStatus = 'scraping' | 'completed' | 'failed' | 'cancelled'

export const mostDocuments = 100
/** Size in bytes after which a page of the list of documents ends. The document that exceeds the limit is still included. */
const mostBytes = 10_485_760
/** The reported expiry if raw pages are never deleted: the field must have a value. */
const aYearMs = 31_536_000_000

export function statusOf({ state, reason }: Pick<Job, 'state' | 'reason'>): TheirStatus {
  if (state === 'cancelled' || (state === 'finishing' && reason === cancelledReason)) return 'cancelled'
  if (!hasEnded(state)) return 'scraping'
  return state === 'failed' ? 'failed' : 'completed'
}

/**
 * Like Firecrawl, does not count failed and skipped pages, so `completed` equals `total` at the end. A crawl finds more
 * links than it may fetch, so `total` is at most its page limit.
 */
export function theirCounts({ state, spec }: Pick<Job, 'state' | 'spec'>, { pages, byState }: JobCounts) {
  const open = hasEnded(state) ? 0 : byState.pending + byState.queued + byState.in_progress
  const limit = Math.max(spec.maxPages ?? Number.POSITIVE_INFINITY, pages)
  return { completed: pages, total: Math.min(pages + open, limit), creditsUsed: pages }
}

export function shownStatus({ settings }: Pick<Server, 'settings'>, job: Job, counts: JobCounts) {
  const { startedAt, finishedAt, createdAt } = job
  return {
    success: true,
    status: statusOf(job),
    ...theirCounts(job, counts),
    createdAt: isoTime(createdAt),
    expiresAt: isoTime((finishedAt ?? createdAt) + (settings.rawRetention || aYearMs)),
    ...(finishedAt !== null && {
      completedAt: isoTime(finishedAt),
      duration: (finishedAt - (startedAt ?? createdAt)) / 1_000,
    }),
  }
}

export interface DocumentPlace {
  /** Number of documents that the reader already has. */
  skip: number
  /** Number of the last record that the reader already has, if known. */
  after: number
}

interface DocumentPage {
  data: Document[]
  /** The position of the next page. Null if there are no further documents yet. */
  next: DocumentPlace | null
}

export async function documentPage(
  parts: DocumentParts,
  { job, kept }: FoundJob,
  place: DocumentPlace,
  limit: number,
): Promise<DocumentPage> {
  const data: Document[] = []
  let last = place.after
  let bytes = 0
  for await (const record of recordsAfter(parts, job.id, place.after)) {
    if (data.length === limit || bytes > mostBytes)
      return { data, next: { skip: place.skip + data.length, after: last } }
    const document = await documentOf(parts, job, kept, record)
    data.push(document)
    bytes += JSON.stringify(document).length
    last = record.seq
  }
  return { data, next: null }
}

const recordsAtOnce = 100

/** One record per page: further entries of a feed are not separate documents. */
export async function* recordsAfter(
  { store }: Pick<DocumentParts, 'store'>,
  jobId: string,
  after: number,
): AsyncGenerator<StoredRecord> {
  for await (const records of recordPages(store.records, jobId, { after, limit: recordsAtOnce }))
    for (const record of records) if (record.index === 0) yield record
}

/** Finds the position of a reader that only reports how many documents it has. */
export async function placeAfter(parts: DocumentParts, jobId: string, skip: number): Promise<DocumentPlace> {
  let seen = 0
  let after = 0
  if (skip === 0) return { skip, after }
  for await (const record of recordsAfter(parts, jobId, 0)) {
    after = record.seq
    seen += 1
    if (seen === skip) break
  }
  return { skip: seen, after }
}
