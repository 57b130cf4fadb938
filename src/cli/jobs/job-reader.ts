// The interface of `jobs list`, `show` and `export`: jobs of the data directory or of a service, in one form.
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
  /** The job has not ended, but no process runs it. Only known for a data directory. */
  interrupted?: boolean
}

/** `interrupted` is not a stored state: the process was killed before it could store anything. */
export type ShownState = JobState | 'interrupted'

export interface JobReport extends CountedJob {
  /** Number of URLs or items of the job; the spec may hold only the first ones. */
  named: number
  hosts: Array<{ host: string; byState: Partial<Record<string, number>>; trouble: string[] }>
  /** Time of the next retry. */
  nextWakeAt: number | null
  /** The highest possible rate and what limits it; null when nothing waits. */
  pace: JobPace | null
  /** What tasks wait for, as text. Only the running process knows. */
  waits: string[]
  outputs: Array<{ path: string; done: boolean }>
  /** For each kind of wall, one example message. */
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
  /** Returns a description of what was written. */
  exportTo(jobId: string, output: Output, shape?: Partial<TableShape>): Promise<string>
}
