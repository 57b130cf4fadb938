// Prints the URLs that a map job found, in the order they were found.
import type { Job } from '../model/job.ts'
import type { Engine } from '../roles/engine.ts'

const pageSize = 1_000

export async function printUrls(engine: Engine, job: Job): Promise<void> {
  for (let after = 0; ; ) {
    const tasks = await engine.data.store.tasks.list(job.id, { after, limit: pageSize })
    const pages = tasks.filter(task => task.kind === 'page' && !(task.reason ?? '').startsWith('duplicate.'))
    if (pages.length > 0) process.stdout.write(pages.map(task => `${task.url}\n`).join(''))
    if (tasks.length < pageSize) return
    after = tasks.at(-1)!.n
  }
}
