// The results of a fetch job as text, one page at a time: however many there are, one is in memory.
import { errorNameOf } from '../../../model/error-names.ts'
import { asFailure, Failure, type FailureCode, failures } from '../../../model/failures.ts'
import { hasEnded, type Job } from '../../../model/job.ts'
import { mapKeys, snake } from '../../../model/letter-case.ts'
import { mediaTypeOf, type Page } from '../../../model/page.ts'
import type { Task, TaskState } from '../../../model/task.ts'
import { readTaskPage } from '../../../pipeline/item-artifacts.ts'
import { cursorOf } from '../../cursors.ts'
import type { Server } from '../../parts.ts'
import type { FetchResult } from './schemas.ts'

export interface ResultRange {
  /** The number of the last task that was seen. */
  after: number
  /** Null for all of them. */
  limit: number | null
}

const tasksAtOnce = 100
const ended: ReadonlySet<TaskState> = new Set(['succeeded', 'failed', 'skipped', 'cancelled'])

export async function* statusText(server: Server, job: Job, range: ResultRange): AsyncGenerator<string> {
  const { after, limit } = range
  yield `{"job_id":${JSON.stringify(job.id)},"status":"${job.state}","results":[`
  let given = 0
  let last = after
  for await (const task of tasksIn(server, job, range)) {
    const text = JSON.stringify(mapKeys(await resultOf(server, job, task), snake))
    yield given === 0 ? text : `,${text}`
    given += 1
    last = task.n
  }
  const isMore = given === limit || !hasEnded(job.state)
  yield limit === null ? ']}' : `],"next_cursor":${JSON.stringify(isMore ? cursorOf(last) : null)}}`
}

/** In the order of the links. Page by page it goes no further than the first that is not done, so that each is seen once. */
async function* tasksIn(server: Server, job: Job, { after, limit }: ResultRange): AsyncGenerator<Task> {
  let left = limit ?? Number.POSITIVE_INFINITY
  for await (const task of tasksAfter(server, job, after)) {
    if (left === 0) return
    if (ended.has(task.state)) yield task
    else if (limit !== null) return
    left -= 1
  }
}

async function* tasksAfter({ parts }: Server, job: Job, after: number): AsyncGenerator<Task> {
  for (let from = after; ; ) {
    const tasks = await parts.store.tasks.list(job.id, { after: from, limit: tasksAtOnce })
    yield* tasks
    if (tasks.length < tasksAtOnce) return
    from = tasks.at(-1)!.n
  }
}

async function resultOf({ parts }: Server, job: Job, task: Task): Promise<FetchResult> {
  const url = linkOf(task)
  if (task.state !== 'succeeded') return failed(url, failureOf(task))
  try {
    const page = await readTaskPage(parts, task)
    return {
      url,
      status: 'success',
      htmlContent: markupOf(page, job, task),
      errorMessage: null,
      errorType: null,
    }
  } catch (error) {
    return failed(url, asFailure(error))
  }
}

const linkOf = ({ input, url }: Task): string =>
  input === null ? url : ((JSON.parse(input) as { url?: string }).url ?? url)

function failureOf({ reason, message, state }: Task): Failure {
  const code = reason !== null && reason in failures ? (reason as FailureCode) : null
  if (state === 'cancelled')
    return new Failure('job.cancelled', 'the job was cancelled before this link was fetched')
  return new Failure(code ?? 'internal.bug', message ?? 'it failed without a word')
}

const failed = (url: string, { code, message }: Failure): FetchResult => ({
  url,
  status: 'error',
  htmlContent: null,
  errorMessage: message,
  errorType: errorNameOf(code),
})

function markupOf(page: Page | null, job: Job, { itemId }: Task): string {
  if (!page) throw new Failure('page.not-kept', 'the page is no longer kept; start the job again')
  const type = mediaTypeOf(page.headers)
  // A browser writes its markup as UTF-8, whatever the page was.
  if (type === '' || /html|xml|json|^text\//.test(type)) return page.body.toString('utf8')
  throw new Failure(
    'content.unsupported',
    `it is ${type} and no page; GET /jobs/${job.id}/items/${itemId}/download?artifact=html has the file`,
  )
}
