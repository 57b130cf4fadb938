// Hosts that do not respond: a job waits for each of them for a limited time. Then it fails the remaining tasks of the host.
import { type GivenUp, givenUp } from '../../../dispatch/reachability.ts'
import { formatDuration } from '../../../lib/text/units.ts'
import { isUnanswered } from '../../../model/failures.ts'
import type { LeasedTask, Reason } from '../../../model/task.ts'
import type { CoordinatorContext } from '../context.ts'
import type { RunningJob } from '../running-job.ts'

/** Dependencies for deciding on unreachable hosts. */
export type OutageContext = Pick<
  CoordinatorContext,
  'hosts' | 'dispatcher' | 'inFlight' | 'store' | 'clock' | 'emit'
>

/** The reason of a job that is paused because none of its hosts responds. */
export const networkDown = 'network.down'
/** How long a job is paused with the reason `networkDown` before it tries again. */
export const networkRestMs = 30_000

/** Remembers a host that did not respond. The next sweep decides whether its tasks fail. */
export function noteUnanswered(job: RunningJob, { host }: LeasedTask, reason: Reason): void {
  if (isUnanswered(reason) || reason === 'robots.unreachable') job.outage.silentHosts.add(host)
}

/** Whether a connection failure counts as a temporary outage: the host has responded since this process adopted the
 *  job, or our own network seems to be down. */
export const waitsOutOutage = (context: OutageContext, job: RunningJob, host: string): boolean =>
  job.outage.networkIsDown || context.hosts.reachOf(host).answeredAt >= job.adoptedAt

/** Whether our own network seems to be down: all hosts of the job, or very many of them, were tried, and none responds. */
function isNetworkDown(context: OutageContext, job: RunningJob): boolean {
  if (job.outage.silentHosts.size === 0) return false
  const isUntried = (host: string) => context.hosts.reachOf(host).silentSince === null
  const hasUntried = () =>
    context.dispatcher.hostNamesOf(job.id).some(isUntried) ||
    context.inFlight.values().some(({ task }) => task.jobId === job.id && isUntried(task.host))
  return context.hosts.isNetworkDown(context.clock.now(), hasUntried)
}

/** Fails the waiting tasks of hosts that did not respond within the timeouts of the job. Other hosts are not affected. */
export async function failSilentHosts(context: OutageContext, job: RunningJob): Promise<void> {
  job.outage.networkIsDown = isNetworkDown(context, job)
  const now = context.clock.now()
  findTroubled(context, job, now)
  const when = { jobStartedAt: job.adoptedAt, networkDown: job.outage.networkIsDown }
  for (const host of job.outage.silentHosts) {
    const reach = context.hosts.reachOf(host)
    const verdict = givenUp(reach, job.job.spec.policy, when, now)
    if (verdict !== null) await giveUp(context, job, host, verdict, reach.lastError)
    else if (reach.silentSince === null && reach.robotsFailingSince === null)
      job.outage.silentHosts.delete(host)
  }
}

const longestLookMs = 5_000

/** Adds hosts that failed in another job. If this job does not request such a host at the moment, none of its own tasks
 *  reports the host. */
function findTroubled(context: OutageContext, job: RunningJob, now: number): void {
  if (now < job.outage.nextLookAt) return
  const { patienceMs, outageMs } = job.job.spec.policy
  job.outage.nextLookAt = now + Math.min(longestLookMs, patienceMs / 2, outageMs / 2)
  for (const host of context.hosts.troubled(context.dispatcher.hostNamesOf(job.id)))
    job.outage.silentHosts.add(host)
}

async function giveUp(
  context: OutageContext,
  job: RunningJob,
  host: string,
  verdict: GivenUp,
  lastError: string | null,
): Promise<void> {
  job.outage.silentHosts.delete(host)
  context.dispatcher.dropWork(job.id, host)
  const { reason } = verdict
  const message = messageOf(host, verdict, lastError)
  const ended = await context.store.tasks.endPending(job.id, 'failed', reason, { host, message })
  job.tasksEnded(ended)
  if (ended > 0)
    context.emit('notice.given', { jobId: job.id, message: `${message}; failed ${ended} of its tasks` })
}

function messageOf(host: string, { reason, afterMs, isMute }: GivenUp, lastError: string | null): string {
  const time = formatDuration(afterMs < 1_000 ? Math.round(afterMs) : Math.round(afterMs / 1_000) * 1_000)
  const last = lastError ? ` (last: ${lastError})` : ''
  if (reason === 'robots.unreachable')
    return `robots.txt of ${host} could not be read for ${time}${last}; policy.outage_ms sets how long to wait`
  if (isMute)
    return `${host} accepts connections and sent no response for ${time}; policy.patience_ms sets how long to wait`
  return `${host} did not answer for ${time}${last}; policy.patience_ms and policy.outage_ms set how long to wait`
}
