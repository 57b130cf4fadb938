// Messages to the coordinators. Each coordinator gets the messages about its own hosts and about jobs whose home shard it leads.
import { shardOf } from '../../lib/shard-of.ts'
import type { AddedWork, AnsweredTask, SettledGroup, SettledTask } from '../../model/cluster-messages.ts'
import { homeOf } from '../../pipeline/coordinate/shards.ts'
import type { Calls, CallTimeout } from '../../ports/calls.ts'
import { coordinatorOf, type ToCoordinator } from './messages.ts'

type JobPlace = Parameters<typeof homeOf>[0]

interface Told {
  outcome: SettledTask
  host: string
  job: JobPlace
}

/** Sends a hint to the leader of a shard. A lost hint does no harm, because the leader finds the same facts in the store. */
export const hint = (calls: Calls, shard: number, message: ToCoordinator): void =>
  void calls.tell(coordinatorOf(shard), message).catch(() => {})

/** Sends the message to the leaders of all shards. */
export async function notifyAll(calls: Calls, shards: number, message: ToCoordinator): Promise<void> {
  await Promise.all(Array.from({ length: shards }, (_, shard) => calls.tell(coordinatorOf(shard), message)))
}

/** Asks the leaders of all shards. Returns the answers; shards without a leader are left out. */
export async function askAll<Answer>(
  calls: Calls,
  shards: number,
  message: ToCoordinator,
  timeout: CallTimeout,
): Promise<Answer[]> {
  const asked = Array.from({ length: shards }, (_, shard) =>
    calls.ask<Answer>(coordinatorOf(shard), message, timeout),
  )
  const answers = await Promise.allSettled(asked)
  return answers.flatMap(answer => (answer.status === 'fulfilled' ? [answer.value] : []))
}

/** Groups settled tasks and new tasks by shard. Each task is sent to the shard of its host and to the home shard of its
 *  job. */
export function groupsByShard(
  told: Told[],
  added: readonly AddedWork[],
  shards: number,
): Map<number, SettledGroup> {
  const groups = new Map<number, SettledGroup>()
  const groupOf = (shard: number) => {
    const known = groups.get(shard) ?? { tasks: [], added: [] }
    groups.set(shard, known)
    return known
  }
  const homes = new Map<string, number>()
  for (const { outcome, host, job } of told) {
    const own = shardOf(host, shards)
    const home = homes.get(job.id) ?? homeOf(job, shards)
    homes.set(job.id, home)
    groupOf(own).tasks.push(outcome)
    if (home !== own) groupOf(home).tasks.push({ ...outcome, isElsewhere: true })
  }
  for (const work of added) {
    const own = shardOf(work.host, shards)
    const home = homes.get(work.jobId) ?? own
    groupOf(own).added.push(work)
    if (home !== own) groupOf(home).added.push(work)
  }
  return groups
}

export function answeredByShard(
  tasks: ReadonlyArray<AnsweredTask & { host: string }>,
  shards: number,
): Map<number, AnsweredTask[]> {
  return Map.groupBy(tasks, ({ host }) => shardOf(host, shards))
}
