// Messages between the processes of a cluster, beside the tasks themselves.
import type { RequestResult } from '../../dispatch/host-table.ts'
import type {
  AddedWork,
  AnsweredTask,
  SettledGroup,
  SettledTask,
  SourceUpdate,
} from '../../model/cluster-messages.ts'
import type { JobState } from '../../model/job.ts'
import type { TaskIdentity } from '../../model/policy/proxy.ts'
import type { RunnableWork } from '../../pipeline/coordinate/runnable-work.ts'
import type { PermitRequest } from '../../ports/permits.ts'
import type { RequestKind } from '../../ports/store.ts'

/** Served by the coordinator that leads this shard. */
export const coordinatorOf = (shard: number): string => (shard === 0 ? 'coordinator' : `coordinator.${shard}`)
/** Served by every worker that fetches: a cluster may have browser workers only. */
export const robotsService = 'robots'

export type ToCoordinator =
  | { say: 'answered'; tasks: AnsweredTask[] }
  | { say: 'settled'; group: SettledGroup }
  | { say: 'in-hand'; keys: string[] }
  | { say: 'source'; news: SourceUpdate }
  | { say: 'work'; added: AddedWork[] }
  | { say: 'ended'; host: string; result: RequestResult }
  | { say: 'sent-late'; host: string; at: number }
  | { say: 'new-job'; jobId: string }
  | { say: 'permit'; request: PermitRequest }
  | { say: 'steer'; jobId: string; kind: RequestKind }
  | { say: 'progress'; jobId: string }
  | { say: 'conduct-changed' }
  | { say: 'proxies'; check: boolean }
  | { say: 'runnable' }

export interface RobotsQuestion {
  jobId: string
  origin: string
  identity: TaskIdentity | null
}

/** What followers of a job see of a settled task. */
export type SettledUpdate = Pick<
  SettledTask,
  'jobId' | 'n' | 'url' | 'state' | 'reason' | 'message' | 'attempt'
> & {
  durationMs: number
}

/** Broadcast to all listening processes. */
export interface News {
  settled?: SettledUpdate[]
  moved?: { jobId: string; to: JobState; reason: string | null }
  deleted?: { jobId: string }
  /** Workers abort what they run for the job. */
  cancelled?: { jobId: string }
  /** From the leader of a shard to the other coordinators. */
  runnable?: { shard: number; work: RunnableWork }
  /** About a job. Notices about a process stay in that process. */
  notice?: { jobId: string; message: string }
}
