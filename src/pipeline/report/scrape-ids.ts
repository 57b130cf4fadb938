// Ids of this face: every job and every task has a UUID, and the task's says which job it is of.
import { randomUUID } from 'node:crypto'
import { parseTaskId, taskId } from '../../model/ids.ts'

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const jobEnd = '00'
/** The last byte of a task's id is its number in the job; a job's own is 0. */
const lastNumber = 255

export const newScrapeJobId = (): string => randomUUID().slice(0, -2) + jobEnd

const isJobId = (text: string): boolean => pattern.test(text) && text.endsWith(jobEnd)

/** What a scraper finds beyond the targets may be too many for a byte; that is named as everywhere else. */
export const scrapeTaskId = (jobId: string, n: number): string =>
  isJobId(jobId) && n <= lastNumber ? jobId.slice(0, -2) + n.toString(16).padStart(2, '0') : taskId(jobId, n)

/** Takes the ids of this face and those of the other ones; null for what can be no task's. */
export function taskOf(text: string): { jobId: string; n: number } | null {
  if (!pattern.test(text)) return parseTaskId(text)
  const n = Number.parseInt(text.slice(-2), 16)
  return n > 0 ? { jobId: text.slice(0, -2) + jobEnd, n } : null
}
