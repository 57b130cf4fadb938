// Ids of the scrape API. Every job and task has a UUID, and the job's UUID can be derived from the task's.
import { randomUUID } from 'node:crypto'
import { parseTaskId, taskId } from '../../model/ids.ts'

const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const jobEnd = '00'
/** The highest task number that fits into a UUID. The last byte of a task's UUID is the task number. In a job's UUID,
 *  this byte is 0. */
const lastNumber = 255

export const newScrapeJobId = (): string => randomUUID().slice(0, -2) + jobEnd

const isJobId = (text: string): boolean => pattern.test(text) && text.endsWith(jobEnd)

/** The id of a task. Task numbers above 255 do not fit into the UUID; such tasks have ordinary task ids. */
export const scrapeTaskId = (jobId: string, n: number): string =>
  isJobId(jobId) && n <= lastNumber ? jobId.slice(0, -2) + n.toString(16).padStart(2, '0') : taskId(jobId, n)

/** Parses a task id of this API or an ordinary task id. Null if the text is not a task id. */
export function taskOf(text: string): { jobId: string; n: number } | null {
  if (!pattern.test(text)) return parseTaskId(text)
  const n = Number.parseInt(text.slice(-2), 16)
  return n > 0 ? { jobId: text.slice(0, -2) + jobEnd, n } : null
}
