// Finds tasks of a job by their text: scans a bounded number per request and returns a cursor.
import type { Task, TaskState } from '../../../model/task.ts'
import type { TaskStore } from '../../../ports/store.ts'

interface ItemFilter {
  status?: TaskState | undefined
  reason?: string | undefined
  /** An outcome. Finds tasks of which at least one attempt ended with it, even if a later attempt succeeded. */
  attempt?: string | undefined
  text?: string | undefined
}

const batch = 1_000
/** Maximum number of batches of tasks that one request reads, so that a search in a large job does not block other requests.
 *  The caller continues with the cursor. */
const mostLooks = 20

/** Returns up to `limit` matches, and the task number after which to continue; null at the end. */
export async function findItems(
  tasks: Pick<TaskStore, 'list' | 'attemptsOf'>,
  jobId: string,
  filter: ItemFilter,
  { after, limit }: { after: number; limit: number },
): Promise<{ found: Task[]; next: number | null }> {
  const found: Task[] = []
  const isSearch = filter.reason !== undefined || filter.attempt !== undefined || Boolean(filter.text)
  const size = isSearch ? Math.max(batch, limit) : limit
  let place = after
  for (let looks = 0; looks < mostLooks; looks += 1) {
    const page = await tasks.list(jobId, {
      ...{ after: place, limit: size },
      ...(filter.status && { states: [filter.status] }),
    })
    const fitting = await withAttempt(
      tasks,
      jobId,
      page.filter(task => fits(task, filter)),
      filter.attempt,
    )
    for (const task of page) {
      place = task.n
      if (fitting.has(task)) found.push(task)
      if (found.length === limit) return { found, next: place }
    }
    if (page.length < size) return { found, next: null }
  }
  return { found, next: place }
}

function fits({ reason, url, itemId, message }: Task, filter: ItemFilter): boolean {
  if (filter.reason !== undefined && reason !== filter.reason) return false
  if (!filter.text) return true
  const text = filter.text.toLowerCase()
  return [url, itemId, message].some(part => part?.toLowerCase().includes(text))
}

async function withAttempt(
  tasks: Pick<TaskStore, 'attemptsOf'>,
  jobId: string,
  found: Task[],
  outcome: string | undefined,
): Promise<Set<Task>> {
  if (outcome === undefined || found.length === 0) return new Set(found)
  const attempts = await tasks.attemptsOf(
    jobId,
    found.map(({ n }) => n),
  )
  return new Set(found.filter(({ n }) => attempts.get(n)?.some(attempt => attempt.outcome === outcome)))
}
