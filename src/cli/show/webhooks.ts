// Prints whether the webhooks of a job were delivered. Undelivered webhooks wait in the outbox
// until a service delivers them.
import type { Job } from '../../model/job.ts'
import type { Store } from '../../ports/store.ts'
import { safe, type Talk } from '../talk.ts'

/** Prints the state of the job's last webhook, or nothing if the job has none. */
export async function showWebhooks(talk: Talk, { outbox }: Store, { id, spec }: Job): Promise<void> {
  if (spec.webhookUrl === undefined) return
  const [latest] = await outbox.list({ jobId: id, limit: 1 })
  if (!latest) return
  const last = (await outbox.attempts(latest.id)).at(-1)
  const error = last?.error ?? null
  talk.tell({ webhook: { webhook_id: latest.id, url: latest.url, state: latest.state, error } })
  talk.say(`  webhook to ${safe(latest.url)}: ${sentenceOf(latest.state, error)}`)
}

function sentenceOf(state: string, error: string | null): string {
  if (state === 'delivered') return 'delivered'
  const why = safe(error ?? 'not tried')
  if (state === 'dead') return `not delivered, without further retries (${why})`
  return `not delivered yet (${why}); it waits in the outbox until \`kscrape serve\` runs on this data directory`
}
