// Parses a page that another process fetched and stored, with the same code as in a lane.
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import type { Page } from '../../model/page/page.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OpenJob } from './lane/open-job.ts'
import { readPage } from './read-page.ts'
import { remembered } from './reuse-answer.ts'
import { failedReport, succeeded } from './task-report.ts'

/** Parses the page. `fetched` is the report of the process that fetched it: times, URL, and where the page is stored. */
export async function runProcessTask(
  clock: Clock,
  job: OpenJob,
  task: TimedTask,
  fetched: TaskReport,
  kept: Page,
): Promise<TaskReport> {
  const { unread, ...facts } = fetched
  const page = asFetched(kept, task, fetched)
  try {
    const report = succeeded(job, task, page, await readPage(job, task, page))
    const { raw, identity } = facts
    return { ...remembered(task, report, page), raw, readAt: clock.now(), ...(identity && { identity }) }
  } catch (error) {
    const { failure, endedAt: readAt } = failedReport(task, error, clock.now())
    return { ...facts, failure, readAt }
  }
}

/** Completes a page that was read from storage. Values that the archive does not contain come from the report. */
const asFetched = (page: Page, task: TimedTask, fetched: TaskReport): Page => ({
  ...page,
  url: task.url,
  finalUrl: fetched.finalUrl,
  status: fetched.status ?? page.status,
  wireBytes: fetched.bytes,
  startedAt: fetched.startedAt,
  sentAt: fetched.sentAt,
  ...(fetched.lastSentAt !== undefined && { lastSentAt: fetched.lastSentAt }),
  endedAt: fetched.endedAt,
})
