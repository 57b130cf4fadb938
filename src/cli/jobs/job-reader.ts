// The interface through which `jobs list`, `show` and `export` read jobs, of the data directory or of a service.
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
  /** True if the job should be running, but no process runs it. Unset for jobs of a service. */
  interrupted?: boolean
}

/** `interrupted` is never stored. It means that the process of the job was killed before it could store the new state. */
export type ShownState = JobState | 'interrupted'

export interface JobReport extends CountedJob {
  /** Number of URLs or items of the job. The spec may contain only the first ones. */
  named: number
  hosts: Array<{ host: string; byState: Partial<Record<string, number>>; trouble: string[] }>
  /** Time of the next retry, epoch ms; null if no task waits for one. */
  nextWakeAt: number | null
  /** The highest possible rate and its limiting factor; null if no task waits. */
  pace: JobPace | null
  /** What tasks wait for, as text. Only the process that runs the job knows it. */
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
  /** A report on the job. It contains the field sources of the first records only, or of all records. */
  report(jobId: string, sourcesOf: 'first' | 'all'): Promise<JobReport>
  task(jobId: string, name: string): Promise<TaskReading>
  policy(jobId: string): Promise<PolicyReport>
  tasks(jobId: string, state: TaskState | undefined): AsyncIterable<ListedTask>
  rejected(jobId: string): AsyncIterable<RejectedRow>
  /** Writes the records. Returns a description of the written file. */
  exportTo(jobId: string, output: Output, shape?: Partial<TableShape>): Promise<string>
}

/** One example message for each kind of wall. `failed` reads the first failed tasks. */
export async function wallsIn(
  { byReason }: { byReason: Partial<Record<string, number>> },
  failed: () => Promise<ReadonlyArray<{ reason: string | null; message: string | null }>>,
): Promise<JobReport['walls']> {
  const walls = Object.keys(byReason).filter(reason => reason.startsWith('blocked.')) as Reason[]
  if (walls.length === 0) return []
  const tasks = await failed()
  return walls.map(reason => ({
    reason,
    message: tasks.find(task => task.reason === reason)?.message ?? null,
  }))
}
