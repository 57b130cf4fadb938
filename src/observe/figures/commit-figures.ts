// Outcomes as they are written down: tasks, records, and the groups they are committed in.
import { Counter, Histogram } from 'prom-client'
import type { OpenGroup } from './group.ts'

/** Of tasks, jobs and answers. */
export const usualSeconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const commitSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
const commitSizes = [1, 4, 16, 64, 128, 256, 512, 1_024, 4_096]

export const commitFigures: OpenGroup = registry => {
  const registers = [registry]
  const tasks = new Counter({
    ...{ name: 'kscrape_tasks_total', registers, labelNames: ['state'] },
    help: 'Task attempts that ended, by the state they led to',
  })
  const taskSeconds = new Histogram({
    ...{ name: 'kscrape_task_duration_seconds', help: 'How long task attempts took', registers },
    buckets: usualSeconds,
  })
  const records = new Counter({
    ...{ name: 'kscrape_records_total', help: 'Records that were committed', registers },
  })
  const size = new Histogram({
    ...{ name: 'kscrape_commit_tasks', help: 'Tasks that were committed together', registers },
    buckets: commitSizes,
  })
  const seconds = new Histogram({
    ...{ name: 'kscrape_commit_duration_seconds', registers, buckets: commitSeconds },
    help: 'How long the store took to commit a group',
  })
  return {
    'task.settled': ({ state, durationMs, records: kept }) => {
      tasks.inc({ state })
      taskSeconds.observe(durationMs / 1_000)
      records.inc(kept.length)
    },
    'group.committed': ({ settlements, ms }) => {
      size.observe(settlements)
      seconds.observe(ms / 1_000)
    },
  }
}
