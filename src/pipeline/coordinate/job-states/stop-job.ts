// Pauses a job that reached a limit or whose tasks mostly end at walls. The owner of the job can raise the limit or
// resume the job.
import type { LimitReason } from '../../../dispatch/job-budget.ts'
import { wasteReason, wasteRemedy } from '../../../model/remedies.ts'
import type { OutputFollower } from '../outputs/follow-outputs.ts'
import type { RunningJob } from '../running-job.ts'
import { type ControlContext, pauseJob } from './job-control.ts'

/** Returns whether the job was stopped and can be released. Tasks in flight finish first. */
export async function stopJob(
  context: ControlContext,
  running: RunningJob,
  outputs: OutputFollower,
): Promise<boolean> {
  if (running.stopReason === null || running.inFlight > 0 || running.ingesting) return false
  if (running.job.state !== 'running' || running.open === 0) return false
  // The counts in memory may be wrong, so decide by the exact counts of the store.
  running.recount(await context.store.jobs.counts(running.id))
  const reason = running.stopReason
  if (reason === null) return false
  await outputs.putAside(running.id)
  await pauseJob(context, running, reason, null)
  context.emit('notice.given', {
    jobId: running.id,
    message: `the job stopped: ${stopText(running, reason)}`,
  })
  return true
}

function stopText({ id, budget, waste, job }: RunningJob, reason: string): string {
  if (reason === wasteReason)
    return `${waste.wasted} of its last ${job.spec.policy.blocks.wasteGuard.window} tasks ended at walls (${reason}); ${wasteRemedy}, then \`kscrape jobs resume ${id}\``
  return `it has reached a limit (${reason}: ${spentText(budget.spent, reason as LimitReason)}); \`kscrape jobs raise ${id}\` raises the limit`
}

const spentText = (spent: RunningJob['budget']['spent'], reason: LimitReason): string =>
  ({
    'limit.pages': `${spent.pages} pages`,
    'limit.bytes': `${spent.bytes} bytes`,
    'limit.browser-seconds': `${Math.round(spent.browserSeconds)} s in browsers`,
    'limit.money': `${spent.money.toFixed(2)} at its prices`,
  })[reason]
