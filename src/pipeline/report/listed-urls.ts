// The URLs that a map job found, in the order they were found.

import { compileScope } from '../../frontier/scope.ts'
import { taskPages } from '../../lib/list-pages.ts'
import type { Job } from '../../model/job.ts'
import type { Task } from '../../model/task.ts'
import type { Store } from '../../ports/store.ts'

const pageSize = 1_000

/** Pages in scope, each once, in batches, up to the job's page limit. */
export async function* listedUrls(store: Store, job: Job): AsyncGenerator<string[]> {
  const { allowsPath } = compileScope(job.spec)
  let left = job.spec.maxPages ?? Number.POSITIVE_INFINITY
  for await (const tasks of taskPages(store.tasks, job.id, { limit: pageSize })) {
    // Start pages are fetched for their links. They are listed only if they are in scope.
    const listed = tasks.filter(task => isPage(task) && allowsPath(task.url).ok).slice(0, left)
    if (listed.length > 0) yield listed.map(task => task.url)
    left -= listed.length
    if (left === 0) return
  }
}

/** Whether the task is a page of the site. Failed pages and duplicates are excluded. */
const isPage = ({ kind, state, reason }: Task): boolean =>
  kind === 'page' && state !== 'failed' && !reason?.startsWith('duplicate.')
