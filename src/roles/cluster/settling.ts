// Settling in workers and processors: one commit per group, then a message to the coordinators.

import type { SettledGroup, SettledTask } from '../../model/cluster-messages.ts'
import type { Emit } from '../../model/events.ts'
import { asFailure } from '../../model/failures.ts'
import { hasEnded } from '../../model/job.ts'
import type { Mark } from '../../pipeline/coordinate/context.ts'
import { dropUnreferenced } from '../../pipeline/coordinate/job-states/delete-orphans.ts'
import { announceGroup, commitGroup, type Reported } from '../../pipeline/coordinate/settle/settle-reports.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Calls } from '../../ports/calls.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { coordinatorOf, type SettledUpdate } from './messages.ts'
import { groupsByShard } from './notify-shards.ts'

export interface SettlingParts {
  store: Store
  blobs: Blobs
  calls: Calls
  clock: Clock
  emit: Emit
  mark: Mark
  /** The name of this process, which is stored with each attempt. */
  name: string
  /** Number of shards. */
  shards: number
}

/** `owner` is the owner of the leases. Tasks that another process has already settled are reported as lost. */
export async function settleGroup(parts: SettlingParts, owner: string, reported: Reported[]): Promise<void> {
  if (reported.length === 0) return
  const context = { ...parts, worker: parts.name, random: Math.random }
  const group = await commitGroup(context, { owner, reported })
  parts.mark('worker.after_commit_before_ack')
  announceGroup(context, group)
  await notify(parts, reported, group)
  dropLate(parts, reported, group)
}

/** How often to check whether a finishing job has ended. */
const looks = { most: 20, everyMs: 500 }

/** Deletes the raw pages of lost tasks when their job has ended. No attempt refers to these pages. */
function dropLate(parts: SettlingParts, reported: Reported[], { tasks }: SettledGroup): void {
  const late = reported.filter(({ report }, index) => tasks[index]!.isLost && report.raw)
  for (const [jobId, own] of Map.groupBy(late, ({ task }) => task.jobId)) {
    const keys = new Set(own.map(({ report }) => report.raw!.key))
    void dropWhenEnded(parts, jobId, [...keys]).catch(() => {})
  }
}

/** The coordinator deletes orphans when a job ends. The pages of a lost task may be stored later than that, so this process
 *  deletes those pages. */
async function dropWhenEnded(parts: SettlingParts, jobId: string, keys: string[]): Promise<void> {
  for (let times = 0; times < looks.most; times += 1) {
    const job = await parts.store.jobs.get(jobId)
    if (job && hasEnded(job.state)) return dropUnreferenced(parts, jobId, keys)
    if (job?.state !== 'finishing') return
    await parts.clock.sleep(looks.everyMs)
  }
}

const updatesOf = (tasks: readonly SettledTask[]): SettledUpdate[] =>
  tasks.flatMap(({ jobId, n, url, state, reason, message, attempt, isLost, startedAt, endedAt }) =>
    isLost ? [] : [{ jobId, n, url, state, reason, message, attempt, durationMs: endedAt - startedAt }],
  )

/** Notifies the coordinators. A lost message does no harm, because the sweep of a coordinator finds the settled tasks
 *  in the store. */
async function notify(
  { calls, emit, shards }: SettlingParts,
  reported: Reported[],
  { tasks, added }: SettledGroup,
): Promise<void> {
  const told = reported.map(({ task, job }, index) => ({
    outcome: tasks[index]!,
    host: task.host,
    job: { id: task.jobId, spec: job.spec },
  }))
  const groups = [...groupsByShard(told, added, shards)]
  try {
    await Promise.all([
      ...groups.map(([shard, group]) => calls.tell(coordinatorOf(shard), { say: 'settled', group })),
      calls.announce({ settled: updatesOf(tasks) }),
    ])
  } catch (error) {
    emit('notice.given', { jobId: null, message: asFailure(error).message })
  }
}
