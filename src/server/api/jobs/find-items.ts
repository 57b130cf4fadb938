// Finds tasks of a job by their text: scans a bounded number per request and returns a cursor.
import type { Task, TaskState } from '../../../model/task.ts'
import type { TaskStore } from '../../../ports/store.ts'

export interface ItemFilter {
  status?: TaskState | undefined
  reason?: string | undefined
  text?: string | undefined
}

const batch = 1_000
/** Maximum number of batches of tasks that one request reads, so that a search in a large job does not block other requests.
 *  The caller continues with the cursor. */
const mostLooks = 20

/** Returns up to `limit` matches, and the task number after which to continue; null at the end. */
export async function findItems(
  tasks: Pick<TaskStore, 'list'>,
  jobId: string,
  filter: ItemFilter,
  { after, limit }: { after: number; limit: number },
): Promise<{ found: Task[]; next: number | null }> {
  const found: Task[] = []
  const size = filter.reason === undefined && !filter.text ? limit : Math.max(batch, limit)
  let place = after
  for (let looks = 0; looks < mostLooks; looks += 1) {
    const page = await tasks.list(jobId, {
      ...{ after: place, limit: size },
      ...(filter.status && { states: [filter.status] }),
    })
    for (const task of page) {
      place = task.n
      if (fits(task, filter)) found.push(task)
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
