// Writing down what became of tasks, away from the coordinator: one commit for a group, then it is told.

import type { SettledGroup, SettledTask } from '../../model/cluster-messages.ts'
import type { Emit } from '../../model/events.ts'
import { asFailure } from '../../model/failures.ts'
import { hasEnded } from '../../model/job.ts'
import type { Mark } from '../../pipeline/coordinate/context.ts'
import { dropUnspoken } from '../../pipeline/coordinate/delete-orphans.ts'
import { noticeOf } from '../../pipeline/coordinate/settle.ts'
import {
  discoveriesOf,
  outcomesOf,
  type Reported,
  settlementFor,
  tracedOf,
} from '../../pipeline/coordinate/settle-reports.ts'
import { emitCommitSpans } from '../../pipeline/coordinate/spans.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Calls } from '../../ports/calls.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Settlement, Store } from '../../ports/store.ts'
import { coordinatorOf, type SettledUpdate } from './messages.ts'
import { groupsByShard } from './notify-shards.ts'

export interface SettlingParts {
  store: Store
  blobs: Blobs
  calls: Calls
  clock: Clock
  emit: Emit
  mark: Mark
  /** Named in the attempts. */
  name: string
  maxRetryAfterMs: number
  /** How many coordinators share the hosts. */
  shards: number
}

/** `owner` is whose leases they are. What somebody else has by now is left alone, and told. */
export async function settleGroup(parts: SettlingParts, owner: string, reported: Reported[]): Promise<void> {
  if (reported.length === 0) return
  const { clock, store, name, maxRetryAfterMs } = parts
  const startedAt = clock.now()
  const context = { now: startedAt, random: Math.random, worker: name, maxRetryAfterMs }
  const entries = reported.map(one => ({ ...one, settlement: settlementFor(one, context) }))
  const discovered = reported.flatMap(discoveriesOf)
  const settlements = entries.map(({ settlement }) => settlement)
  parts.mark('worker.after_store_before_commit')
  const result = await store.commit({ owner, settlements, discovered, hosts: [] })
  parts.mark('worker.after_commit_before_ack')
  const group = { tasks: outcomesOf(entries, result), added: result.added }
  announce(parts, entries, group)
  const ms = clock.now() - startedAt
  const traceparent = tracedOf(reported)
  if (traceparent) emitCommitSpans(parts.emit, entries.map(committed), { startedAt, endedAt: startedAt + ms })
  const records = settlements.reduce((sum, one) => sum + one.records.length, 0)
  parts.emit('group.committed', {
    settlements: entries.length,
    records,
    discovered: result.added.length,
    ms,
    traceparent,
  })
  await tell(parts, reported, group)
  dropLate(parts, reported, group)
}

const committed = ({ task, job, settlement }: Reported & { settlement: Settlement }) => ({
  ...{ task, settlement, above: job.traceparent ?? null },
})

/** How often it is looked whether a job that is just ending has ended. */
const looks = { most: 20, everyMs: 500 }

/** Pages that come after their job has ended are nobody's; before that, its end takes such away. */
function dropLate(parts: SettlingParts, reported: Reported[], { tasks }: SettledGroup): void {
  const late = reported.filter(({ report }, index) => tasks[index]!.isLost && report.raw)
  for (const [jobId, own] of Map.groupBy(late, ({ task }) => task.jobId)) {
    const keys = new Set(own.map(({ report }) => report.raw!.key))
    void dropWhenEnded(parts, jobId, [...keys]).catch(() => {})
  }
}

/** One that is ending has perhaps looked for such pages already: nobody but us would take these away. */
async function dropWhenEnded(parts: SettlingParts, jobId: string, keys: string[]): Promise<void> {
  for (let times = 0; times < looks.most; times += 1) {
    const job = await parts.store.jobs.get(jobId)
    if (job && hasEnded(job.state)) return dropUnspoken(parts, jobId, keys)
    if (job?.state !== 'finishing') return
    await parts.clock.sleep(looks.everyMs)
  }
}

const newsOf = (tasks: readonly SettledTask[]): SettledUpdate[] =>
  tasks.flatMap(({ jobId, n, url, state, reason, message, attempt, isLost, startedAt, endedAt }) =>
    isLost ? [] : [{ jobId, n, url, state, reason, message, attempt, durationMs: endedAt - startedAt }],
  )

/** A hint: what is not heard is found out by the coordinator's sweep. */
async function tell(
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
      calls.announce({ settled: newsOf(tasks) }),
    ])
  } catch (error) {
    emit('notice.given', { jobId: null, message: asFailure(error).message })
  }
}

function announce(
  { emit }: SettlingParts,
  entries: Array<Reported & { settlement: ReturnType<typeof settlementFor> }>,
  { tasks }: SettledGroup,
): void {
  for (const [index, { jobId, n, url, state, reason, message, isLost }] of tasks.entries()) {
    const { report, settlement, task, job } = entries[index]!
    if (isLost) {
      emit('notice.given', { jobId, message: `lease_lost: ${url} was finished by another worker` })
      continue
    }
    emit('task.settled', {
      ...{ jobId, n, url, state, reason, message },
      durationMs: report.endedAt - report.startedAt,
      attempt: settlement.attempt,
      proxy: settlement.history.proxy,
      records: settlement.records,
      traceparent: task.trace?.traceparent ?? job.traceparent ?? null,
    })
    const notice = noticeOf(report)
    if (notice) emit('notice.given', { jobId, message: notice })
    emit('page.judged', { way: entries[index]!.task.way, outcome: reason })
  }
}
