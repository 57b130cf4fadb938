// What is told to others when a job ends: entered with the end itself, delivered later.
import type { Job } from '../model/job.ts'
import type { NewWebhook } from '../model/webhook.ts'

/** To the job's own address, or the operator's. Jobs of the command line have someone who waits for them. */
export function endingWebhooks(job: Job, operatorsUrl: string | undefined, now: number): NewWebhook[] {
  const url = job.spec.webhookUrl ?? operatorsUrl
  if (url === undefined || job.face === 'cli') return []
  // A job that is opened again ends again, and that is another message.
  return [{ id: `${job.id}.ended.${now}`, event: 'job.ended', url, createdAt: now }]
}
