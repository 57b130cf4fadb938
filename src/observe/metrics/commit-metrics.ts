// Metrics of committed outcomes: tasks, records, and group commits.
import { Counter, Histogram } from 'prom-client'
import type { OpenGroup } from './group.ts'

/** Buckets for tasks, jobs and responses. */
export const usualSeconds = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const commitSeconds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
const commitSizes = [1, 4, 16, 64, 128, 256, 512, 1_024, 4_096]

export const commitMetrics: OpenGroup = registry => {
  const registers = [registry]
  const tasks = new Counter({
    ...{ name: 'kscrape_tasks_total', registers, labelNames: ['state'] },
    help: 'Ended task attempts, by the resulting state',
  })
  const taskSeconds = new Histogram({
    ...{ name: 'kscrape_task_duration_seconds', help: 'Duration of task attempts', registers },
    buckets: usualSeconds,
  })
  const records = new Counter({
    ...{ name: 'kscrape_records_total', help: 'Committed records', registers },
  })
  const size = new Histogram({
    ...{ name: 'kscrape_commit_tasks', help: 'Tasks per group commit', registers },
    buckets: commitSizes,
  })
  const seconds = new Histogram({
    ...{ name: 'kscrape_commit_duration_seconds', registers, buckets: commitSeconds },
    help: 'Duration of a group commit',
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
