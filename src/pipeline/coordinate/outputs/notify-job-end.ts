// The webhook of an ended job. The transaction that ends the job adds it to the outbox; it is delivered later. Its body has the same
// format as the response of the API that created the job.

import {
  mostTasksInFull,
  resultsText,
  type ToldJob,
  type ToldResults,
  webhookBody,
} from '../../../deliver/webhook-body.ts'
import { failedPages, recordPages } from '../../../lib/list-pages.ts'
import { chosenId } from '../../../model/ids.ts'
import type { Face, Job, JobCounts, JobState } from '../../../model/job.ts'
import { mapKeys, snake } from '../../../model/letter-case.ts'
import { withoutOwnLabels } from '../../../model/own-labels.ts'
import type { Task } from '../../../model/task.ts'
import type { NewWebhook } from '../../../model/webhook.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import type { Store } from '../../../ports/store.ts'
import { fetchResultText } from '../../report/fetch-results.ts'
import { failedItem, recordItem } from '../../report/result-items.ts'
import { jobShown, taskShown } from '../../report/scrape-answers.ts'

interface TellParts {
  store: Store
  blobs: Blobs
}

/** The end of a job, before it is stored. */
interface Ending {
  job: Job
  state: JobState
  reason: string | null
  at: number
}

/** How an API reports the end of a job. */
interface Telling {
  head(ended: Job, counts: JobCounts): ToldJob
  results(parts: TellParts, job: Job): AsyncIterable<string>
  where(job: Job): string
}

/** The format for jobs of all APIs that are not listed below. */
const usual: Telling = {
  head: (job, counts) =>
    mapKeys(
      { jobId: chosenId(job.id), status: job.state, summary: summaryOf(job, counts) },
      snake,
    ) as ToldJob,
  results: resultTexts,
  where: ({ id }) => `GET /jobs/${chosenId(id)}/results`,
}

const tellings: Partial<Record<Face, Telling>> = {
  scrape: {
    head: jobShown,
    results: (parts, job) =>
      taskTexts(parts, job, async task => JSON.stringify(await taskShown(parts.store, job, task))),
    where: ({ id }) => `GET /api/v1/scrape/jobs/${id}/results`,
  },
  fetch: {
    head: (job, counts) => ({
      job_id: job.id,
      status: job.state,
      summary: mapKeys(summaryOf(job, counts), snake) as object,
    }),
    results: (parts, job) => taskTexts(parts, job, task => fetchResultText(parts, job, task)),
    where: ({ id }) => `GET /fetch/status/${id}`,
  },
}

const tellingOf = ({ face }: Job): Telling => tellings[face] ?? usual

/**
 * The webhooks for the end of a job. Call this right before the job ends, when no task changes any more. `known` are
 * results that were read in advance, because jobs of the fetch API have whole pages, and reading them takes long.
 */
export async function endingWebhooks(
  parts: TellParts,
  ending: Ending,
  operatorsUrl: string | undefined,
  known?: ToldResults,
): Promise<NewWebhook[]> {
  const { at, state, reason } = ending
  const url = webhookUrlOf(ending.job, operatorsUrl)
  if (url === undefined) return []
  const { head, where } = tellingOf(ending.job)
  const stored = (await parts.store.jobs.get(ending.job.id)) ?? ending.job
  const job = { ...stored, state, reason, finishedAt: at }
  const counts = await parts.store.jobs.counts(job.id)
  const results = known ?? (await toldResults(parts, job, counts))
  const body = webhookBody(head(job, counts), results, where(job))
  // The id contains the time, because a reopened job ends again and then sends another webhook.
  return [{ id: `${job.id}.ended.${at}`, event: 'job.ended', url, createdAt: at, body }]
}

export const toldResults = async (parts: TellParts, job: Job, { tasks }: JobCounts): Promise<ToldResults> =>
  tasks > mostTasksInFull ? 'too-many-tasks' : resultsText(tellingOf(job).results(parts, job))

/** The webhook URL of the job, else the operator's URL. A job of the command line never uses the operator's URL. */
export const webhookUrlOf = (
  { spec, face }: Pick<Job, 'spec' | 'face'>,
  operatorsUrl: string | undefined,
): string | undefined => spec.webhookUrl ?? (face === 'cli' ? undefined : operatorsUrl)

const readAtOnce = 1_000

/** Yields the results as `GET /jobs/ID/results` lists them: first records, then failures. */
async function* resultTexts({ store }: TellParts, { id }: Job): AsyncGenerator<string> {
  for await (const records of recordPages(store.records, id, { limit: readAtOnce }))
    for (const record of records) yield textOf(recordItem(record))
  for await (const failed of failedPages(store.tasks, id, readAtOnce))
    for (const task of failed) yield textOf(failedItem(task))
}

const textOf = (item: object): string => JSON.stringify(mapKeys(item, snake))

/** Results of all tasks, whatever their outcome, in the order in which the caller gave them. */
async function* taskTexts(
  { store }: TellParts,
  { id }: Job,
  text: (task: Task) => Promise<string>,
): AsyncGenerator<string> {
  for (const task of await store.tasks.list(id, { after: 0, limit: mostTasksInFull })) yield text(task)
}

function summaryOf(job: Job, counts: JobCounts) {
  const { tasks, records, pages, bytes, byState, byReason } = counts
  const { face, scheduleId, spec, createdAt, startedAt, finishedAt, reason } = job
  const at = finishedAt ?? createdAt
  return {
    ...{ tasks, records, pages, bytes, byState, byReason, reason },
    ...{ face, scraperId: spec.scraperId, scheduleId, labels: withoutOwnLabels(spec.labels) },
    createdAt: isoTime(createdAt),
    startedAt: startedAt === null ? null : isoTime(startedAt),
    finishedAt: isoTime(at),
    durationSeconds: (at - (startedAt ?? createdAt)) / 1_000,
  }
}

const isoTime = (at: number): string => new Date(at).toISOString()
