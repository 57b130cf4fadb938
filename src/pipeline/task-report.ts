// The report of a task, well or not: what the lane hands back to the coordinator.
import { asFailure, Failure } from '../model/failures.ts'
import type { TaskReport, TimedTask } from '../model/lane.ts'
import type { Page } from '../model/page.ts'
import type { Extracted, NewRecord } from '../model/record.ts'
import { applyPii } from '../normalize/index.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { AskPermit } from '../ports/permits.ts'
import type { WarcExchange } from '../results/warc-exchanges.ts'
import type { OpenJob } from './lane-job.ts'
import type { Reading } from './read-page.ts'

export interface TaskParts {
  clock: Clock
  /** Where the pages of earlier answers lie, for jobs that use them again. */
  blobs?: Blobs
  askPermit: AskPermit
}

/** The report, and the page to keep (null when none was had). */
export interface TaskResult {
  report: TaskReport
  page: Page | null
  /** What a scraper asked for on its way to the page, and was answered; null where the page says it all. */
  exchanges?: readonly WarcExchange[] | null
}

export function succeeded(job: OpenJob, task: TimedTask, page: Page, reading: Reading): TaskReport {
  return {
    jobId: task.jobId,
    n: task.n,
    attempt: task.attempt,
    startedAt: page.startedAt,
    sentAt: page.sentAt,
    ...(page.lastSentAt !== undefined && { lastSentAt: page.lastSentAt }),
    endedAt: page.endedAt,
    failure: null,
    finalUrl: page.finalUrl,
    status: page.status,
    bytes: page.wireBytes,
    raw: null,
    records: recordsOf(job, page, reading.extracted),
    links: reading.links,
    sitemaps: reading.sitemaps,
    canonicalKey: reading.canonicalKey,
    contentKey: reading.contentKey,
    specParsed: reading.specParsed,
  }
}

/** Serialised here, once, on the lane's thread. */
export function recordsOf(job: OpenJob, page: Page, extracted: Extracted[]): NewRecord[] {
  return extracted.map((record, index) => ({
    index,
    data: JSON.stringify(applyPii(record.data, job.job.spec.pii)),
    provenance: JSON.stringify(record.provenance),
    finalUrl: page.finalUrl,
    status: page.status,
    fetchedAt: page.endedAt,
    scraper: job.scraperName,
    way: null,
  }))
}

/** A task cut short by a stop is not at fault: it goes back, uncharged. */
export const stopped = (task: TimedTask): Failure =>
  new Failure('worker.stopping', `${task.url || 'the row'} was given back because the worker is stopping`)

export function failedReport(task: TimedTask, error: unknown, now: number): TaskReport {
  return {
    jobId: task.jobId,
    n: task.n,
    attempt: task.attempt,
    startedAt: now,
    sentAt: now,
    endedAt: now,
    failure: asFailure(error).toJSON(),
    finalUrl: task.url,
    status: null,
    bytes: 0,
    raw: null,
    records: [],
    links: null,
    sitemaps: [],
    canonicalKey: null,
    contentKey: null,
    specParsed: false,
  }
}
