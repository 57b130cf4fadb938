// Ids of the scrape API: every job and task has a UUID, and the job can be derived from the task's UUID.
import { randomUUID } from 'node:crypto'
import { parseTaskId, taskId } from '../../model/ids.ts'

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const jobEnd = '00'
/** The last byte of a task id is the task's number. In a job id it is 0. */
const lastNumber = 255

export const newScrapeJobId = (): string => randomUUID().slice(0, -2) + jobEnd

const isJobId = (text: string): boolean => pattern.test(text) && text.endsWith(jobEnd)

/** A byte does not fit the tasks that a scraper adds. They have the usual task ids. */
export const scrapeTaskId = (jobId: string, n: number): string =>
  isJobId(jobId) && n <= lastNumber ? jobId.slice(0, -2) + n.toString(16).padStart(2, '0') : taskId(jobId, n)

/** Accepts ids of this API and the usual ones; null if the text is not a task id. */
export function taskOf(text: string): { jobId: string; n: number } | null {
  if (!pattern.test(text)) return parseTaskId(text)
  const n = Number.parseInt(text.slice(-2), 16)
  return n > 0 ? { jobId: text.slice(0, -2) + jobEnd, n } : null
}
