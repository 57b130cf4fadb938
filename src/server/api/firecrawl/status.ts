// How a batch or crawl stands in their words, with its documents page by page in the order in which they came.
import { isLastList } from '../../../lib/listed-records.ts'
import { hasEnded, type Job, type JobCounts } from '../../../model/job.ts'
import type { StoredRecord } from '../../../model/record.ts'
import { cancelledReason } from '../../../pipeline/coordinate/running-job.ts'
import { isoTime } from '../../answers.ts'
import type { Server } from '../../parts.ts'
import { type Document, documentOf } from './document.ts'
import type { FoundJob } from './routes.ts'
import type { DocumentParts } from './source.ts'

export type TheirStatus = 'scraping' | 'completed' | 'failed' | 'cancelled'

export const mostDocuments = 100
/** A page of an answer ends after the document that goes beyond this. */
export const mostBytes = 10_485_760
/** Where raw pages are kept for ever, something has to be said nevertheless. */
const aYearMs = 31_536_000_000

export function statusOf({ state, reason }: Pick<Job, 'state' | 'reason'>): TheirStatus {
  if (state === 'cancelled' || (state === 'finishing' && reason === cancelledReason)) return 'cancelled'
  if (!hasEnded(state)) return 'scraping'
  return state === 'failed' ? 'failed' : 'completed'
}

/** Sitemaps and pages that were left out (robots.txt, duplicates) are no documents, and are not counted as such. */
export function theirCounts(counts: JobCounts) {
  const { pages, byState } = counts
  const open = byState.pending + byState.queued + byState.in_progress
  return { completed: pages, total: pages + open + byState.failed, creditsUsed: pages }
}

export function shownStatus({ settings }: Pick<Server, 'settings'>, job: Job, counts: JobCounts) {
  const { startedAt, finishedAt, createdAt } = job
  return {
    success: true,
    status: statusOf(job),
    ...theirCounts(counts),
    createdAt: isoTime(createdAt),
    expiresAt: isoTime((finishedAt ?? createdAt) + (settings.rawRetention || aYearMs)),
    ...(finishedAt !== null && {
      completedAt: isoTime(finishedAt),
      duration: (finishedAt - (startedAt ?? createdAt)) / 1_000,
    }),
  }
}

export interface DocumentPlace {
  /** How many documents were seen. */
  skip: number
  /** The last record of them, where that is known. */
  after: number
}

export interface DocumentPage {
  data: Document[]
  /** Null when there is nothing more for now. */
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

/** One per page: what a feed holds beside its first entry is no page of its own. */
export async function* recordsAfter(
  { store }: Pick<DocumentParts, 'store'>,
  jobId: string,
  after: number,
): AsyncGenerator<StoredRecord> {
  for (let from = after; ; ) {
    const records = await store.records.list(jobId, { after: from, limit: recordsAtOnce })
    for (const record of records) if (record.index === 0) yield record
    if (isLastList(records, recordsAtOnce)) return
    from = records.at(-1)!.seq
  }
}

/** Where a reader is who only says how many were seen. */
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
