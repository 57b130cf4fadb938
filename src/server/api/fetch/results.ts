// Writes the results of a fetch job as JSON text. Only one page is in memory at a time.
import { taskPages } from '../../../lib/list-pages.ts'
import { hasEnded, type Job } from '../../../model/job.ts'
import type { Task, TaskState } from '../../../model/task.ts'
import { fetchResultText } from '../../../pipeline/report/fetch-results.ts'
import { cursorOf } from '../../http/cursors.ts'
import type { Server } from '../../parts.ts'

interface ResultRange {
  /** Number of the last task whose result the reader already has. */
  after: number
  /** Maximum number of results; null means no limit. */
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
    const text = await fetchResultText(server.parts, job, task)
    yield given === 0 ? text : `,${text}`
    given += 1
    last = task.n
  }
  const isMore = given === limit || !hasEnded(job.state)
  yield limit === null ? ']}' : `],"next_cursor":${JSON.stringify(isMore ? cursorOf(last) : null)}}`
}

/** Tasks in the order of the links. With a limit, stops before the first task that has not ended, so that a reader who
 *  continues there misses no result. */
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
  for await (const tasks of taskPages(parts.store.tasks, job.id, { after, limit: tasksAtOnce })) yield* tasks
}
