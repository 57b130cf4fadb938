// Uses cached responses in a lane: without a request, after a 304, or because the new body is the same.
import { contentKey } from '../../frontier/canonical-url.ts'
import { asFailure } from '../../model/failures.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import type { KnownAnswer, NewAnswer } from '../../model/page/answer.ts'
import { type FetchRequest, headerOf, type Page } from '../../model/page/page.ts'
import { readPage as readKept } from '../../results/read-page.ts'
import type { OpenJob } from './lane/open-job.ts'
import { withRowOf } from './personal-data.ts'
import { readLinks } from './read-page.ts'
import { succeeded, type TaskParts, type TaskResult } from './task-report.ts'

/** The request with validators (ETag, Last-Modified) of the cached response. */
export function askIfChanged(request: FetchRequest, { answer }: TimedTask): FetchRequest {
  const { etag = null, lastModified = null } = answer?.known ?? {}
  if (etag === null && lastModified === null) return request
  const headers = {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  }
  return { ...request, headers: { ...request.headers, ...headers } }
}

/** The result of a task with the cached records. `answered` is the new response; null if no request was sent. Returns null if the
 *  page changed or moved, or if the job needs the page itself and retention has deleted it. */
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

/** Whether the cached records are still valid. The final URL must be the same too, because records contain absolute URLs. */
function isUnchanged(answered: Page, { bodyKey, records }: KnownAnswer): boolean {
  if (records.some(({ finalUrl }) => finalUrl !== answered.finalUrl)) return false
  return answered.status === 304 || (answered.status === 200 && keyOf(answered) === bodyKey)
}

const keyOf = ({ body }: Page): string => String(contentKey(body))

/** Whether the job needs the page itself and not only its records: for links, duplicate detection or item folders. */
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
  const own = records.map(record => withRowOf(job, task, record))
  return { ...succeeded(job, task, page, readLinks(job, task, page)), ...times, records: own, reused }
}

/** A placeholder for a page that is not stored. URL and status come from its record. */
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

/** Adds the response to the report, so that it is cached with the records. `answered` is null if the task has several pages. A
 *  response to a request with cookies may be personal, so it is not cached. */
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
  // A 304 may omit validators that have not changed, so take them from the cached response.
  const before = page?.status === 304 ? known : null
  return {
    key,
    checkedAt,
    etag: said('etag') ?? before?.etag ?? null,
    lastModified: said('last-modified') ?? before?.lastModified ?? null,
    bodyKey: before ? before.bodyKey : page && keyOf(page),
  }
}
