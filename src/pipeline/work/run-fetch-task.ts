// Runs one task in a lane: requests the page, checks the response, parses it and reports the outcome.
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import type { Page, TakeSlot } from '../../model/page/page.ts'
import type { PermitRequest } from '../../ports/permits.ts'
import { browserConnection } from '../../scraper/builtin/browser-connection.ts'
import { answerFailure, type ErrorPages } from './answer-failure.ts'
import type { JobBrowser } from './lane/job-browser.ts'
import type { OpenJob } from './lane/open-job.ts'
import { readPage } from './read-page.ts'
import { askIfChanged, remembered, reuseAnswer } from './reuse-answer.ts'
import { runConnection } from './run-connection.ts'
import { runScraper } from './scraper/run-scraper.ts'
import { cutShort, failedReport, succeeded, type TaskParts, type TaskResult, unread } from './task-report.ts'
import { TaskVisits } from './task-visits.ts'

export async function runFetchTask(
  parts: TaskParts,
  job: OpenJob,
  task: TimedTask,
  signal: AbortSignal,
): Promise<TaskResult> {
  if (task.answer?.isFresh) return runFromAnswer(parts, job, task, signal)
  if (job.scraper === browserConnection && job.browser && parts.bus)
    return runConnection({ ...parts, bus: parts.bus }, job, job.browser, task, signal)
  if (job.scraper.run && task.kind === 'page') {
    const { report, ...kept } = await runScraper(parts, job, task, signal)
    return { report: remembered(task, report, null), ...kept }
  }
  if (job.browser) return runVisit(parts, job, job.browser, task, signal)
  const startedAt = parts.clock.now()
  let page: Page | null = null
  let isRead = false
  try {
    const request = job.request(task.url, permitFor(parts, task, signal), task)
    const fetch = job.fetchFor(task)
    page = await fetch({ ...askIfChanged(request, task), beforeFirst: parts.slot }, signal)
    const reused = task.answer?.known ? await reuseAnswer(parts, job, task, page) : null
    if (reused) return reused
    // The host responded with 304, but the page is no longer stored. Request it again without validators.
    if (page.status === 304 && task.answer?.known) {
      const beforeFirst = (lapsed: number) => furtherSlot(parts, task, lapsed, signal)
      page = await fetch({ ...request, beforeFirst }, signal)
    }
    const refused = answerFailure(page, errorPagesOf(job, task))
    if (refused) throw refused
    if (parts.leavesReading && job.segments && !task.isAwaited) return { report: unread(task, page), page }
    isRead = true
    const reading = readPage(job, task, page)
    const report = succeeded(job, task, page, reading instanceof Promise ? await reading : reading)
    return { report: remembered(task, { ...report, readAt: parts.clock.now() }, page), page }
  } catch (error) {
    const report = failedReport(task, signal.aborted ? cutShort(task, signal) : error, parts.clock.now())
    return { report: { ...report, startedAt, ...pageFacts(page, report, isRead) }, page }
  }
}

/** How this attempt handles a page with an HTTP error status. */
function errorPagesOf({ job }: OpenJob, { charged, overrides }: TimedTask): ErrorPages {
  const { attempts } = (overrides ?? job.spec.policy).retries
  return { errorPages: job.spec.policy.errorPages, isLastAttempt: charged >= attempts }
}

/** Runs a task with a browser. The page stays open until it is parsed, so that a screenshot of a failure is possible. */
async function runVisit(
  parts: TaskParts,
  job: OpenJob,
  browser: JobBrowser,
  task: TimedTask,
  signal: AbortSignal,
): Promise<TaskResult> {
  const startedAt = parts.clock.now()
  await using visits = new TaskVisits(parts, job, browser, task, signal)
  let page: Page | null = null
  let isRead = false
  try {
    page = await visits.open(task.url)
    const refused = answerFailure(page, errorPagesOf(job, task))
    if (refused) throw refused
    isRead = true
    const { artifacts } = visits
    const report = succeeded(job, task, page, await readPage(job, task, page), artifacts)
    return { report: remembered(task, { ...report, readAt: parts.clock.now() }, page), page, artifacts }
  } catch (error) {
    const report = failedReport(task, signal.aborted ? cutShort(task, signal) : error, parts.clock.now())
    const facts = pageFacts(page, report, isRead)
    return { report: { ...report, startedAt, ...facts }, page, artifacts: await visits.ofFailure(report) }
  }
}

/** Uses the cached response without a request if possible. Otherwise the task takes a slot and runs normally. */
async function runFromAnswer(
  parts: TaskParts,
  job: OpenJob,
  task: TimedTask,
  signal: AbortSignal,
): Promise<TaskResult> {
  const { key } = task.answer!
  const asked = { ...task, answer: { key, known: null, isFresh: false } }
  try {
    const reused = await reuseAnswer(parts, job, task, null)
    if (reused) return reused
    const isGood = await furtherSlot(parts, task, 0, signal)
    const slot = async (lapsed: number) => (lapsed === 0 ? isGood : furtherSlot(parts, task, lapsed, signal))
    return runFetchTask({ ...parts, slot }, job, asked, signal)
  } catch (error) {
    return { report: failedReport(task, error, parts.clock.now()), page: null }
  }
}

const furtherSlot = (
  parts: TaskParts,
  { jobId, n, url }: TimedTask,
  lapsed: number,
  signal: AbortSignal,
): ReturnType<TakeSlot> => slotBy(parts, { jobId, n, url, purpose: 'extra', lapsed }, signal)

async function slotBy(
  { askPermit, clock }: TaskParts,
  request: PermitRequest,
  signal: AbortSignal,
): Promise<() => boolean> {
  const goodUntil = await askPermit(request, signal)
  return () => clock.now() <= goodUntil
}

/** Requests the permit of a redirect hop. The permit includes the slot, and adds the URL to the job's seen-set. */
const permitFor =
  (parts: TaskParts, task: TimedTask, signal: AbortSignal) =>
  (hop: { from: string; to: string }, sentAt: number, lapsed: number): ReturnType<TakeSlot> => {
    const { jobId, n } = task
    const sent = { url: hop.from, at: sentAt }
    return slotBy(parts, { jobId, n, url: hop.to, purpose: 'hop', sent, lapsed }, signal)
  }

/** URL, status and times of the page for the report. If there is no page, the URL of the last hop is taken from the failure. */
function pageFacts(
  page: Page | null,
  { failure, endedAt: readAt }: TaskReport,
  isRead: boolean,
): Partial<TaskReport> {
  if (page) {
    const { finalUrl, status, wireBytes: bytes, sentAt, lastSentAt, endedAt } = page
    const last = lastSentAt !== undefined && { lastSentAt }
    return { finalUrl, status, bytes, sentAt, endedAt, ...last, ...(isRead && { readAt }) }
  }
  const asked = failure?.details?.asked
  return typeof asked === 'string' ? { finalUrl: asked } : {}
}
