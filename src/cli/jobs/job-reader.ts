// What `jobs list`, `show` and `export` look at: jobs of the data directory, or of a service, told in one form.
import type { SourceCounts } from '../../lib/source-counts.ts'
import type { Job, JobCounts, JobState, Output } from '../../model/job.ts'
import type { JobPace } from '../../model/policy/pace.ts'
import type { TableShape } from '../../model/table-shape.ts'
import type { Reason, Task, TaskState } from '../../model/task.ts'
import type { TaskReading } from '../../pipeline/report/field-sources.ts'
import type { PolicyReport } from '../../pipeline/report/policy-report.ts'
import type { RejectedRow } from '../../ports/store.ts'
import type { Proposal } from '../../roles/local/look-up.ts'
import type { ShownConduct } from '../show/conduct.ts'

export interface CountedJob {
  job: Job
  counts: JobCounts
  /** The job has not ended, and no process runs it. Only a data directory can tell. */
  interrupted?: boolean
}

/** `interrupted` is no state of the store: the process that would have written it was killed. */
export type ShownState = JobState | 'interrupted'

export interface JobReport extends CountedJob {
  /** How many URLs or items were named; the job may tell only the first of them. */
  named: number
  hosts: Array<{ host: string; byState: Partial<Record<string, number>>; trouble: string[] }>
  /** When the next task that failed is tried again. */
  nextWakeAt: number | null
  /** How fast it may go, and why not faster; null when nothing waits. */
  pace: JobPace | null
  /** What tasks wait for, in words; only its process knows. */
  waits: string[]
  outputs: Array<{ path: string; done: boolean }>
  /** Of each kind of wall that was met, what gave one of them away. */
  walls: Array<{ reason: Reason; message: string | null }>
  conduct: ShownConduct
  sources: SourceCounts
  proposal: Proposal | null
}

export type ListedTask = Pick<
  Task,
  'jobId' | 'n' | 'itemId' | 'kind' | 'url' | 'depth' | 'state' | 'reason' | 'message' | 'attempt' | 'input'
>

export interface JobReader extends AsyncDisposable {
  list(filter: { state?: ShownState; limit: number }): Promise<CountedJob[]>
  /** With the sources of its first records, or of all. */
  report(jobId: string, sourcesOf: 'first' | 'all'): Promise<JobReport>
  task(jobId: string, name: string): Promise<TaskReading>
  policy(jobId: string): Promise<PolicyReport>
  tasks(jobId: string, state: TaskState | undefined): AsyncIterable<ListedTask>
  rejected(jobId: string): AsyncIterable<RejectedRow>
  /** Returns what was written, in words. */
  exportTo(jobId: string, output: Output, shape?: Partial<TableShape>): Promise<string>
}
