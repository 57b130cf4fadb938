// A task as it is handed out, for tests that do not care where it came from.
import type { LeasedTask } from '../../src/model/task.ts'

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
