// What is told to others when a job ends: entered with the end itself, delivered later.
import { type Ending, mostTasksInFull, webhookBody } from '../deliver/webhook-body.ts'
import type { Job } from '../model/job.ts'
import type { NewWebhook } from '../model/webhook.ts'
import type { Store } from '../ports/store.ts'
import { failedItem, recordItem } from './result-items.ts'

/** Read from the store as it is right before the job ends, when no task moves any more. */
export async function endingWebhooks(
  store: Store,
  ending: Ending,
  operatorsUrl: string | undefined,
): Promise<NewWebhook[]> {
  const { job, at } = ending
  const url = webhookUrlOf(job, operatorsUrl)
  if (url === undefined) return []
  const counts = await store.jobs.counts(job.id)
  const results = counts.tasks > mostTasksInFull ? 'too-many-tasks' : await resultsOf(store, job.id)
  // A job that is opened again ends again, and that is another message.
  const id = `${job.id}.ended.${at}`
  return [{ id, event: 'job.ended', url, createdAt: at, body: webhookBody(ending, counts, results) }]
}

/** To the job's own address, or the operator's. Jobs of the command line have someone who waits for them. */
export const webhookUrlOf = (
  { spec, face }: Pick<Job, 'spec' | 'face'>,
  operatorsUrl: string | undefined,
): string | undefined => spec.webhookUrl ?? (face === 'cli' ? undefined : operatorsUrl)

/** More than any message takes; a message that is cut is not sent. */
const mostItems = 10_000

async function resultsOf({ records, tasks }: Store, jobId: string): Promise<unknown[] | 'too-long'> {
  const from = { after: 0, limit: mostItems + 1 }
  const found = await records.list(jobId, from)
  if (found.length > mostItems) return 'too-long'
  return [...found.map(recordItem), ...(await tasks.failed(jobId, from)).map(failedItem)]
}
