// Sends a webhook, once, when a check of a monitor found changes.

import type { Events } from '../../../model/events.ts'
import { asFailure } from '../../../model/failures.ts'
import { chosenId } from '../../../model/ids.ts'
import { hasEnded, type Job } from '../../../model/job.ts'
import { mapKeys, snake } from '../../../model/letter-case.ts'
import type { Check } from '../../../model/monitor.ts'
import { followJobs, type JobFollower } from '../../follow-jobs.ts'
import type { ServerParts } from '../../parts.ts'
import { Checks, endedRuns, isChanged, shownCheck, termsOfJob } from './checks.ts'

/** How many recent runs to check at start, for checks that ended while no process ran. */
const lookedBack = 200
/** Most changes in a webhook. More are only counted; the API has all of them. */
const mostTold = 50

type NotifyParts = Pick<ServerParts, 'store' | 'engine' | 'clock' | 'log'>

/** A service loop; runs until the signal. */
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
  if (!job || !terms?.webhookUrl || job.scheduleId === null || job.state === 'cancelled') return
  const id = `${job.id}.monitor`
  if (await store.outbox.get(id)) return
  const runs = await endedRuns(store, { id: job.scheduleId, workspace: job.workspace })
  const index = runs.findIndex(run => run.id === job.id)
  const check = await new Checks(store).of(job, runs.slice(index + 1), terms)
  if (terms.notify === 'changes' && !isChanged(check)) return
  const body = bodyOf(job, check)
  await store.outbox.enter(job.id, [
    { id, event: 'monitor.changed', url: terms.webhookUrl, createdAt: clock.now(), body },
  ])
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
