// Requests that other processes left in the store: pause, resume, cancel, retry.
import type { Desk } from './desk.ts'
import { pauseJob, resumeJob } from './job-control.ts'
import type { RunningJob } from './running-job.ts'
import { steerIdleJob } from './steer-idle-job.ts'

export async function obeyRequests(desk: Desk): Promise<void> {
  for (const { jobId, kind } of await desk.store.requests.take()) {
    const running = desk.jobs.get(jobId)
    if (running) await obey[kind](desk, running)
    else await steerIdleJob(desk.store, jobId, kind, desk.clock.now())
  }
}

const obey = {
  pause: (desk: Desk, running: RunningJob) => pauseJob(desk, running, 'user', null),
  resume: resumeJob,
  cancel: cancelJob,
  retry: retryJob,
} as const

/** What waits is cancelled at once; what runs may finish, and then the job is over. */
export async function cancelJob(desk: Desk, running: RunningJob): Promise<void> {
  running.job.reason = 'cancelled'
  running.cancelled = true
  desk.dispatcher.suspend(running.id, null)
  running.open -= await desk.store.tasks.endPending(running.id, 'cancelled', 'job.cancelled')
}

export async function retryJob(desk: Desk, running: RunningJob): Promise<void> {
  for (const { host, count } of await desk.store.tasks.reopen(running.id, ['failed'])) {
    running.open += count
    desk.dispatcher.addWork(running.id, host, count)
  }
  await resumeJob(desk, running)
}
