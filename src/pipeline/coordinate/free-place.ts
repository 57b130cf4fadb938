// A task that this process counts as under way and that nobody has any more: its place at the host and in the job's count is free again.
import { type CoordinatorContext, type InFlightTask, taskKey } from './context.ts'

/** What releasing a task in flight needs. */
export type InFlightContext = Pick<CoordinatorContext, 'jobs' | 'held' | 'hosts' | 'clock'>

/** Says whether it was counted until now. */
export function letGo(context: InFlightContext, held: InFlightTask): boolean {
  const { task, slot, sentAt } = held
  const now = context.clock.now()
  const result = { startedAt: sentAt ?? now, endedAt: now, isUnknown: true } as const
  if (slot) context.hosts.finished(task.host, result, now)
  held.slot = false
  const running = context.jobs.get(task.jobId)
  if (context.held.get(taskKey(task)) !== held || !running) return false
  context.held.delete(taskKey(task))
  running.inFlight--
  return true
}
