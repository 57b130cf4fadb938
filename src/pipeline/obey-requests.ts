// Requests that other processes left in the store: pause, resume, cancel, retry.
import type { RequestKind } from '../ports/store.ts'
import type { Desk } from './desk.ts'
import { cancelJob, pauseJob, resumeJob } from './job-control.ts'
import type { RunningJob } from './running-job.ts'
import { steerIdleJob } from './steer-idle-job.ts'

export async function obeyRequests(desk: Desk): Promise<void> {
  for (const { jobId, kind } of await desk.store.requests.take()) {
    const running = desk.jobs.get(jobId)
    if (!running) await steerIdleJob(desk.store, jobId, kind, desk.clock.now())
    else if (!running.cancelled) await obey[kind](desk, running)
  }
}

const obey: Record<RequestKind, (desk: Desk, running: RunningJob) => Promise<void>> = {
  pause: (desk, running) => pauseJob(desk, running, 'user', null),
  resume: resumeJob,
  cancel: cancelJob,
  retry: retryJob,
}

export async function retryJob(desk: Desk, running: RunningJob): Promise<void> {
  for (const { host, count } of await desk.store.tasks.reopen(running.id, ['failed'])) {
    running.open += count
    desk.dispatcher.addWork(running.id, host, count)
  }
  await resumeJob(desk, running)
}
