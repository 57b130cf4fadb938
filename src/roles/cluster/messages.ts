// Messages between the processes of a cluster, except the tasks themselves.
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

/** The service name of a shard's leading coordinator. */
export const coordinatorOf = (shard: number): string => (shard === 0 ? 'coordinator' : `coordinator.${shard}`)
/** The service name for robots.txt. Every fetching worker serves it, because a cluster may have browser workers only. */
export const robotsService = 'robots'

export type ToCoordinator =
  | { say: 'answered'; tasks: AnsweredTask[] }
  | { say: 'settled'; group: SettledGroup }
  | { say: 'in-hand'; keys: string[] }
  | { say: 'source'; update: SourceUpdate }
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

/** The part of a settled task that API processes receive, for callers that follow the job. */
export type SettledUpdate = Pick<
  SettledTask,
  'jobId' | 'n' | 'url' | 'state' | 'reason' | 'message' | 'attempt'
> & {
  durationMs: number
}

/** A message to all listening processes. */
export interface ClusterEvent {
  settled?: SettledUpdate[]
  moved?: { jobId: string; to: JobState; reason: string | null }
  deleted?: { jobId: string }
  /** A job was cancelled, so workers abort its tasks. */
  cancelled?: { jobId: string }
  /** Runnable tasks of a shard, sent by its leader to the other coordinators. */
  runnable?: { shard: number; work: RunnableWork }
  /** A notice about a job. Notices about a process stay in that process. */
  notice?: { jobId: string; message: string }
}
