// How MCP tools run jobs: submit for the caller, wait up to a limit, read the results as documents.
import { type Caller, mayDo } from '../../../model/access.ts'
import { Failure } from '../../../model/failures.ts'
import type { Job, JobSpecInput } from '../../../model/job.ts'
import { wholeFeed } from '../../../model/page/feed-records.ts'
import type { RecordData, StoredRecord } from '../../../model/record.ts'
import type { Task } from '../../../model/task.ts'
import { readTaskPage } from '../../../pipeline/report/item-artifacts.ts'
import { parseJobSpec } from '../../../pipeline/submit/submit-job.ts'
import { type DocumentOptions, type MadeDocument, withPii } from '../../../pipeline/work/page-document.ts'
import { jobEnded } from '../../job-watch.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { submitFor } from '../../submit.ts'
import { taskFailure } from '../../task-failure.ts'
import type { Budget } from './budget.ts'

/** The context of a tool call: its caller and its budget. */
export interface ToolContext {
  server: Server
  caller: Caller
  budget: Budget
  /** Aborted when the connection has closed. */
  gone: AbortSignal
}

export const longestWaitMs = 55_000

export async function startJob(
  { server, caller, budget }: ToolContext,
  spec: JobSpecInput,
  { pages, map = false }: { pages: number; map?: boolean },
): Promise<Job> {
  if (!mayDo(caller.scopes, 'submit'))
    throw new Failure('request.forbidden', 'fetching pages needs a key with the scope "submit"')
  const given = parseJobSpec(spec)
  budget.take(pages)
  const { job } = await submitFor(server, caller, given, { face: 'mcp', map })
  return job
}

/** The job when it has ended, or after the wait. */
export async function waitFor({ server, gone }: ToolContext, job: Job, waitMs: number): Promise<Job> {
  await jobEnded(server.parts, job.id, Math.min(waitMs, longestWaitMs), gone)
  return (await server.parts.store.jobs.get(job.id)) ?? job
}

export const jobOf = ({ server, caller }: ToolContext, jobId: string): Promise<Job> =>
  ownedJob(server, caller, jobId)

/** The first page of a finished job; throws the reason if there is none. */
export async function pageOf(
  context: ToolContext,
  job: Job,
  options: Pick<DocumentOptions, 'wants' | 'schemas'> & { onlyMainContent?: boolean },
  n = 1,
): Promise<ReadPage> {
  const { store } = context.server.parts
  const task = await store.tasks.get(job.id, n)
  if (task?.state !== 'succeeded') throw noPage(job, task, context.server.parts.clock.now())
  const records = await store.records.ofTask(job.id, n)
  const [record] = records
  if (!record) throw new Failure('page.not-kept', `${task.url} gave no record`)
  const { onlyMainContent = false, ...wanted } = options
  const part = { onlyMainContent, includeTags: [], excludeTags: [] }
  const page = await readRecord(context, job, task, record, {
    ...{ ...wanted, part, pii: job.spec.pii ?? 'keep' },
  })
  const feed = wholeFeed(records.map(({ data }) => JSON.parse(data) as RecordData))
  return feed ? { ...page, data: feed } : page
}

export interface ReadPage {
  record: StoredRecord
  data: RecordData
  /** Null if the page has no markup or is not stored any more. */
  document: MadeDocument | null
}

async function readRecord(
  { server }: ToolContext,
  job: Job,
  task: Task,
  record: StoredRecord,
  options: DocumentOptions,
): Promise<ReadPage> {
  const page = await readTaskPage(server.parts, task).catch(() => null)
  const data = JSON.parse(record.data) as RecordData
  const document = page && (await server.parts.pageDocument(page, options))
  return { record: { ...record, jobId: job.id }, data, document }
}

function noPage(job: Job, task: Task | null, now: number): Failure {
  if (task && (task.state === 'failed' || task.state === 'skipped')) {
    return taskFailure(task, now)
  }
  return new Failure(
    'task.deadline',
    `the page is not done yet and continues as job ${job.id}; call job_status, then job_results`,
  )
}

/** The visible text of the page, and its hidden text. */
export function readable({ document, data }: ReadPage, job: Job): { text: string; hidden: string[] } {
  if (document?.texts) return document.texts
  const text = String(data.markdown ?? data.text ?? JSON.stringify(data, null, 2))
  return { text: withPii(text, job.spec.pii ?? 'keep'), hidden: [] }
}
