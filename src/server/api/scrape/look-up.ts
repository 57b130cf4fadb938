// Finds jobs and tasks of this API, if the key may act for their workspace.
import { type Caller, mayActFor } from '../../../model/access.ts'
import { Failure } from '../../../model/failures.ts'
import type { Job } from '../../../model/job.ts'
import type { Task } from '../../../model/task.ts'
import { taskOf } from '../../../pipeline/report/scrape-ids.ts'
import type { Server } from '../../parts.ts'

export async function scrapeJob(server: Server, caller: Caller, jobId: string): Promise<Job> {
  const job = await ownJob(server, caller, jobId)
  if (job) return job
  throw new Failure('job.unknown', `there is no job "${shortened(jobId)}" among your scrapes`, { jobId })
}

export async function scrapeTask(
  server: Server,
  caller: Caller,
  taskId: string,
): Promise<{ job: Job; task: Task }> {
  const named = taskOf(taskId)
  const job = named && (await ownJob(server, caller, named.jobId))
  const task = job && (await server.parts.store.tasks.get(job.id, named.n))
  if (task) return { job, task }
  throw new Failure('item.unknown', `there is no task "${shortened(taskId)}" among your scrapes`, { taskId })
}

/** Searches every workspace that the key may act for, because a GET request names no workspace. */
async function ownJob({ parts }: Server, caller: Caller, jobId: string): Promise<Job | null> {
  const job = await parts.store.jobs.get(jobId)
  return job && job.face === 'scrape' && mayActFor(caller, job.workspace) ? job : null
}

const shortened = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)
