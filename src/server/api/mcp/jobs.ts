// How MCP tools run jobs: submit a job for the caller, wait for it with a time limit, and read its pages as documents.
import { offAbort, onAbort } from '../../../lib/abort-handlers.ts'
import { type Caller, mayDo } from '../../../model/access.ts'
import { Failure } from '../../../model/failures.ts'
import type { Job, JobSpecInput } from '../../../model/job.ts'
import { wholeFeed } from '../../../model/page/feed-records.ts'
import type { RecordData, StoredRecord } from '../../../model/record.ts'
import type { Task } from '../../../model/task.ts'
import { readTaskPage } from '../../../pipeline/report/item-artifacts.ts'
import { parseJobSpec } from '../../../pipeline/submit/submit-job.ts'
import {
  type DocumentOptions,
  type MadeDocument,
  withPii,
} from '../../../pipeline/work/documents/page-document.ts'
import { drainMsOf, jobEnded } from '../../job-watch.ts'
import { ownedJob } from '../../owned-job.ts'
import type { Server } from '../../parts.ts'
import { submitFor } from '../../submit.ts'
import { taskFailure } from '../../task-failure.ts'
import type { Budget } from './budget.ts'
import type { Call, Progress } from './tool.ts'

/** Everything that a tool can use: the service, the caller, and the limits of the session. */
export interface ToolContext {
  server: Server
  caller: Caller
  budget: Budget
  /** Aborted when the session ends. */
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

/** Milliseconds between two progress reports. */
const reportMs = 1_000

/** Waits for the end of a job, with a time limit. If the call started the job and is cancelled, the job is cancelled too. */
export async function waitFor(
  { server, gone }: ToolContext,
  call: Call,
  job: Job,
  { waitMs, isOwn }: { waitMs: number; isOwn: boolean },
): Promise<Job> {
  const { parts } = server
  const callerLeft = AbortSignal.any([gone, call.signal])
  let until = parts.clock.now() + Math.min(waitMs, longestWaitMs)
  const onStop = () => {
    until = Math.min(until, parts.clock.now() + drainMsOf(server.settings))
  }
  if (parts.stopping.aborted) onStop()
  onAbort(parts.stopping, onStop)
  try {
    for (let left = until - parts.clock.now(); left > 0; left = until - parts.clock.now()) {
      if (await jobEnded(server, job.id, Math.min(left, reportMs), callerLeft)) break
      if (callerLeft.aborted || (await isInterrupted(server, job))) break
      await call.report(await progressOf(server, job))
    }
  } finally {
    offAbort(parts.stopping, onStop)
  }
  if (isOwn && call.signal.aborted) await parts.engine.steer(job.id, 'cancel').catch(() => {})
  return (await parts.store.jobs.get(job.id)) ?? job
}

/** Whether the service stopped before the job ended. */
async function isInterrupted({ parts }: Server, { id }: Job): Promise<boolean> {
  return parts.stopping.aborted && (await parts.store.jobs.get(id))?.reason === 'interrupted'
}

async function progressOf({ parts }: Server, job: Job): Promise<Progress> {
  const { tasks, byState } = await parts.store.jobs.counts(job.id)
  const done = byState.succeeded + byState.failed + byState.skipped
  return { done, total: tasks, message: `${done} of the ${tasks} pages found so far are done` }
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
  if (task?.state !== 'succeeded') throw noPage(context.server, job, task)
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

interface ReadPage {
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

function noPage({ parts }: Server, job: Job, task: Task | null): Failure {
  if (task && (task.state === 'failed' || task.state === 'skipped'))
    return taskFailure(task, parts.clock.now())
  if (parts.stopping.aborted)
    return new Failure(
      'worker.stopping',
      `the service is stopping; job ${job.id} continues after the restart: call job_status, then job_results`,
    )
  return new Failure(
    'task.deadline',
    `the page is not loaded yet; job ${job.id} continues: call job_status, then job_results`,
  )
}

/** The visible text of the page, and its hidden text. */
export function readable({ document, data }: ReadPage, job: Job): { text: string; hidden: string[] } {
  if (document?.texts) return document.texts
  const text = String(data.markdown ?? data.text ?? JSON.stringify(data, null, 2))
  return { text: withPii(text, job.spec.pii ?? 'keep'), hidden: [] }
}
