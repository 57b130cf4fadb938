// Answers used again in a lane: without asking, after the host said that nothing changed, or because the body is the same.
import { contentKey } from '../../frontier/canonical-url.ts'
import { asFailure } from '../../model/failures.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import type { KnownAnswer, NewAnswer } from '../../model/page/answer.ts'
import { type FetchRequest, headerOf, type Page } from '../../model/page/page.ts'
import { readPage as readKept } from '../../results/read-page.ts'
import type { OpenJob } from './lane-job.ts'
import { readLinks } from './read-page.ts'
import { succeeded, type TaskParts, type TaskResult } from './task-report.ts'

/** The request, with what tells the host which version is known. */
export function askIfChanged(request: FetchRequest, { answer }: TimedTask): FetchRequest {
  const { etag = null, lastModified = null } = answer?.known ?? {}
  if (etag === null && lastModified === null) return request
  const headers = {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  }
  return { ...request, headers: { ...request.headers, ...headers } }
}

/**
 * The result of a task whose records are known: `answered` is what the host said now, null when it was not asked. Null when
 * they don't fit (the page changed, or moved), or when the job needs the page itself and nobody has it any more.
 */
export async function reuseAnswer(
  parts: TaskParts,
  job: OpenJob,
  task: TimedTask,
  answered: Page | null,
): Promise<TaskResult | null> {
  const known = task.answer!.known!
  if (answered && !isUnchanged(answered, known)) return null
  const page = answered?.status === 200 ? answered : await keptPage(parts, known)
  if (page === null && needsPage(job, task)) return null
  const report = reportOf(job, task, page ?? noPage(task, known), known, answered, parts.clock.now())
  return { report: answered ? remembered(task, report, answered) : report, page }
}

/** Records hold absolute URLs, so the same body at another place is another page. */
function isUnchanged(answered: Page, { bodyKey, records }: KnownAnswer): boolean {
  if (records.some(({ finalUrl }) => finalUrl !== answered.finalUrl)) return false
  return answered.status === 304 || (answered.status === 200 && keyOf(answered) === bodyKey)
}

const keyOf = ({ body }: Page): string => String(contentKey(body))

/** Links are followed, duplicates found and items written from the page, not from its records. */
const needsPage = (job: OpenJob, task: TimedTask): boolean =>
  job.follows(task) || job.dedupes || job.keepsItems

async function keptPage({ blobs }: TaskParts, { raw }: KnownAnswer): Promise<Page | null> {
  if (raw === null || !blobs) return null
  return readKept(blobs, raw).catch(error => {
    if (asFailure(error).code.startsWith('storage.')) return null
    throw error
  })
}

function reportOf(
  job: OpenJob,
  task: TimedTask,
  page: Page,
  { records }: KnownAnswer,
  answered: Page | null,
  now: number,
): TaskReport {
  const { startedAt = now, sentAt = now, endedAt = now, wireBytes: bytes = 0 } = answered ?? {}
  const times = { startedAt, sentAt, endedAt, bytes, status: answered?.status ?? page.status }
  const reused = answered ? 'not-modified' : 'cached'
  return { ...succeeded(job, task, page, readLinks(job, task, page)), ...times, records, reused }
}

/** Stands for a page that was not kept: its records know the rest. */
const noPage = (task: TimedTask, { records: [record], checkedAt }: KnownAnswer): Page => ({
  url: task.url,
  finalUrl: record?.finalUrl ?? task.url,
  status: record?.status ?? 200,
  headers: [],
  body: Buffer.alloc(0),
  wireBytes: 0,
  hops: [],
  remoteAddress: null,
  httpVersion: '1.1',
  startedAt: checkedAt,
  sentAt: checkedAt,
  endedAt: checkedAt,
})

/**
 * What was answered goes back with the report, to be kept with its records. Of several pages, no answer speaks for all. An answer to a
 * request with cookies may be about whoever has them, and is not kept for others.
 */
export function remembered(task: TimedTask, report: TaskReport, answered: Page | null): TaskReport {
  if (!task.answer || report.failure || (answered && (hadCookies(answered) || answered.status >= 400)))
    return report
  return { ...report, answer: answerOf(task, report.endedAt, answered) }
}

const hadCookies = ({ requestHeaders = [] }: Page): boolean =>
  requestHeaders.some(([name]) => name.toLowerCase() === 'cookie')

function answerOf({ answer }: TimedTask, checkedAt: number, page: Page | null): NewAnswer {
  const { key, known } = answer!
  const said = (name: string) => (page ? headerOf(page.headers, name) : null)
  // A 304 need not repeat what it confirms.
  const before = page?.status === 304 ? known : null
  return {
    key,
    checkedAt,
    etag: said('etag') ?? before?.etag ?? null,
    lastModified: said('last-modified') ?? before?.lastModified ?? null,
    bodyKey: before ? before.bodyKey : page && keyOf(page),
  }
}
