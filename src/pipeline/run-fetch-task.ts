// One task in a lane: ask for the page, judge the answer, read it, and say how it went.
import { statusFailure } from '../fetch/http/index.ts'
import { Failure } from '../model/failures.ts'
import type { TaskReport, TimedTask } from '../model/lane.ts'
import type { Page } from '../model/page.ts'
import type { OpenJob } from './lane-job.ts'
import { readPage } from './read-page.ts'
import { runScraper } from './run-scraper.ts'
import { failedReport, succeeded, type TaskParts, type TaskResult } from './task-report.ts'

export async function runFetchTask(
  parts: TaskParts,
  job: OpenJob,
  task: TimedTask,
  signal: AbortSignal,
): Promise<TaskResult> {
  if (job.scraper.run && task.kind === 'page') return runScraper(parts, job, task, signal)
  const startedAt = parts.clock.now()
  let page: Page | null = null
  try {
    page = await job.fetch(job.request(task.url, permitFor(parts, task, signal)), signal)
    const refused = statusFailure(page, page.endedAt)
    if (refused) throw refused
    const reading = readPage(job, task, page)
    return { report: succeeded(job, task, page, reading instanceof Promise ? await reading : reading), page }
  } catch (error) {
    const report = failedReport(task, signal.aborted ? stopping(task) : error, parts.clock.now())
    return { report: { ...report, startedAt, ...pageFacts(page, report.failure?.details?.asked) }, page }
  }
}

/** A task cut short by a stop is not at fault: it goes back, uncharged. */
const stopping = (task: TimedTask): Failure =>
  new Failure('worker.stopping', `${task.url} was given back because the worker is stopping`)

/** Redirect hops ask the host table, and enter the job's seen-set before they are fetched. */
const permitFor =
  (parts: TaskParts, task: TimedTask, signal: AbortSignal) =>
  (hop: { to: string }): Promise<void> =>
    parts.askPermit({ jobId: task.jobId, n: task.n, url: hop.to, purpose: 'hop' }, signal)

/** Without a page, the failure may know which hop was asked last. */
function pageFacts(page: Page | null, asked: unknown): Partial<TaskReport> {
  if (page)
    return { finalUrl: page.finalUrl, status: page.status, bytes: page.wireBytes, sentAt: page.sentAt }
  return typeof asked === 'string' ? { finalUrl: asked } : {}
}
