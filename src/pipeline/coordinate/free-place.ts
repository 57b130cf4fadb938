// A task that this process counts as under way and that nobody has any more: its place at the host and in the job's count is free again.
import { type Desk, type HeldTask, heldKey } from './desk.ts'

/** Says whether it was counted until now. */
export function letGo(desk: Desk, held: HeldTask): boolean {
  const { task, slot, sentAt } = held
  const now = desk.clock.now()
  const result = { startedAt: sentAt ?? now, endedAt: now, isUnknown: true } as const
  if (slot) desk.hosts.finished(task.host, result, now)
  held.slot = false
  const running = desk.jobs.get(task.jobId)
  if (desk.held.get(heldKey(task)) !== held || !running) return false
  desk.held.delete(heldKey(task))
  running.inFlight--
  return true
}
