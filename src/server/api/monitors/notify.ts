// Sends one webhook when a check of a monitor found changes.

import type { Events } from '../../../model/events.ts'
import { asFailure } from '../../../model/failures.ts'
import { chosenId } from '../../../model/ids.ts'
import { hasEnded, type Job } from '../../../model/job.ts'
import { mapKeys, snake } from '../../../model/letter-case.ts'
import type { Check, MonitorTerms } from '../../../model/monitor.ts'
import { slackIdOf } from '../../../model/webhook.ts'
import { followJobs, type JobFollower } from '../../follow-jobs.ts'
import type { ServerParts } from '../../parts.ts'
import { Checks, endedRuns, isChanged, shownCheck, termsOfJob } from './checks.ts'
import { mailBody, mailUrl, slackBody } from './messages.ts'

/** How many recent runs to check at start, for checks that ended while no process ran. */
const lookedBack = 200
/** Maximum number of changes in a webhook. Further changes are only counted; the API lists all of them. */
const mostTold = 50

type NotifyParts = Pick<ServerParts, 'store' | 'engine' | 'clock' | 'log'>

/** A service loop; runs until the signal is aborted. */
export async function notifyChanges(parts: NotifyParts, stopping: AbortSignal): Promise<void> {
  const { store, log } = parts
  const before = async () => {
    const recent = await store.jobs.list({ face: 'schedule', limit: lookedBack })
    return recent.filter(({ state }) => hasEnded(state)).map(({ id }) => id)
  }
  const follower: JobFollower = {
    before,
    concerns: (name, event) => name === 'job.moved' && hasEnded((event as Events['job.moved']).to),
    act: jobId => notifyOf(parts, jobId),
    trouble: (error, jobId) =>
      log.warn({ err: asFailure(error), job_id: jobId }, 'changes of a monitor could not be sent'),
  }
  await followJobs(parts, follower, stopping)
}

async function notifyOf({ store, clock }: NotifyParts, jobId: string): Promise<void> {
  const job = await store.jobs.get(jobId)
  const terms = job && termsOfJob(job)
  if (!job || !terms || job.scheduleId === null || job.state === 'cancelled') return
  const targets = targetsOf(job, terms)
  const [first] = targets
  if (!first || (await store.outbox.get(first.id))) return
  const runs = await endedRuns(store, { id: job.scheduleId, workspace: job.workspace })
  const index = runs.findIndex(run => run.id === job.id)
  const check = await new Checks(store).of(job, runs.slice(index + 1), terms)
  if (terms.notify === 'changes' && !isChanged(check)) return
  const name = (await store.schedules.get(job.scheduleId))?.name ?? chosenId(job.scheduleId)
  const createdAt = clock.now()
  await store.outbox.enter(
    job.id,
    targets.map(({ id, url, bodyOf }) => ({
      ...{ id, event: 'monitor.changed' as const, url, createdAt, body: bodyOf(job, check, name) },
    })),
  )
}

interface Target {
  id: string
  url: string
  bodyOf: (job: Job, check: Check, name: string) => string
}

/** All notifications use the outbox, so they are retried, logged and replayed in the same way. */
function targetsOf({ id }: Job, { webhookUrl, slackUrl, emailTo = [] }: MonitorTerms): Target[] {
  return [
    ...(webhookUrl !== undefined ? [{ id: `${id}.monitor`, url: webhookUrl, bodyOf }] : []),
    ...(slackUrl !== undefined ? [{ id: slackIdOf(id), url: slackUrl, bodyOf: slackBody }] : []),
    ...(emailTo.length > 0 ? [{ id: `${id}.monitor-mail`, url: mailUrl(emailTo), bodyOf: mailBody }] : []),
  ]
}

const bodyOf = (job: Job, check: Check): string =>
  JSON.stringify(
    mapKeys(
      {
        type: 'monitor.changed',
        monitorId: chosenId(job.scheduleId!),
        ...shownCheck(check),
        pages: check.changes.slice(0, mostTold),
        isCut: check.isCut || check.changes.length > mostTold,
      },
      snake,
    ),
  )
