// Prints the URLs that a map job found, in the order they were found.
import type { Job } from '../model/job.ts'
import type { Task } from '../model/task.ts'
import type { Engine } from '../roles/engine.ts'
import { print } from './print.ts'

const pageSize = 1_000

export async function printUrls(engine: Engine, job: Job): Promise<void> {
  let left = job.spec.maxPages ?? Number.POSITIVE_INFINITY
  for (let after = 0; left > 0; ) {
    const tasks = await engine.data.store.tasks.list(job.id, { after, limit: pageSize })
    const urls = tasks.filter(isListed).slice(0, left)
    if (urls.length > 0) print(urls.map(task => task.url).join('\n'))
    left -= urls.length
    if (tasks.length < pageSize) return
    after = tasks.at(-1)!.n
  }
}

/** Pages, each once; what was asked for and is not there is none. */
const isListed = ({ kind, state, reason }: Task): boolean =>
  kind === 'page' && state !== 'failed' && !reason?.startsWith('duplicate.')
