// A leased task and a queue that has the task, for tests in which its origin does not matter.
import { openMemoryQueue } from '../../src/adapters/memory/queue.ts'
import type { TaskBatch } from '../../src/model/lane.ts'
import type { LeasedTask } from '../../src/model/task.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Queue } from '../../src/ports/queue.ts'

export const someLeasedTask = (n: number): LeasedTask => ({
  ...{
    jobId: 'job-1',
    n,
    attempt: 1,
    charged: 0,
    kind: 'page',
    depth: 0,
    priority: 0,
    input: null,
    itemId: null,
  },
  url: `https://a.example/${n}`,
  host: 'a.example',
  way: 'http',
  wayWhy: null,
})

export const openTaskQueue = (clock: Clock, leaseMs: number): Queue<TaskBatch> =>
  openMemoryQueue({ clock, leaseMs })
