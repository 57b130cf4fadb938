// Stores a Firecrawl request in the labels of its job, so that every process can read it later.
import { longLabels, readLongLabels } from '../../../lib/text/long-labels.ts'
import { Failure } from '../../../model/failures.ts'
import type { Job } from '../../../model/job.ts'
import { requestLabel } from '../../../model/own-labels.ts'
import type { Sealer } from '../../../ports/secrets.ts'
import type { JsonSchema, ScrapeOptions, Wanted } from './options.ts'
import type { TheirWebhook, Version } from './schemas.ts'

/** Only a cancelled agent sends `cancelled`. Other cancelled jobs send `failed`. */
export type WebhookEventName = 'started' | 'page' | 'completed' | 'failed' | 'cancelled'

export interface StoredWebhook {
  url: string
  /** Request headers of the webhook, sealed because they may contain credentials; null if there are none. */
  headers: string | null
  metadata: Record<string, unknown>
  events: WebhookEventName[]
}

export interface StoredRequest {
  kind: 'scrape' | 'batch' | 'crawl' | 'map' | 'extract' | 'agent' | 'parse'
  version: Version
  /** Start URL of a crawl or map. */
  url: string | null
  wanted: Wanted
  webhook: StoredWebhook | null
  /** Set only if the job is an extraction over several pages. */
  extraction?: Extraction | undefined
}

export interface Extraction {
  /** The schema that the caller gave, or that the model proposed. */
  schema: JsonSchema
  prompt: string | null
  urls: string[]
  showSources: boolean
  warnings: string[]
}

export const requestLabels = (kept: StoredRequest): Record<string, string> => longLabels(requestLabel, kept)

export function storedRequestOf({ id, face, spec }: Pick<Job, 'id' | 'face' | 'spec'>): StoredRequest {
  // A job that another API created may have labels like those of this API.
  const kept = face === 'firecrawl' && readLongLabels<StoredRequest>(spec.labels, requestLabel)
  if (kept) return kept
  throw new Failure('job.unknown', `job "${id}" was not created through this API`, { jobId: id })
}

export const wantedOf = ({
  formats,
  part,
  keepsInlineImages,
  json,
  attributes,
  changes,
  actions,
  hasScreenshot,
  warnings,
}: ScrapeOptions): Wanted => ({
  ...{ formats, part, keepsInlineImages, json, attributes, changes, actions, hasScreenshot, warnings },
})

export function storedWebhook(
  sealer: Sealer,
  jobId: string,
  given: TheirWebhook | undefined,
): StoredWebhook | null {
  if (given === undefined) return null
  const { url, headers, metadata = {}, events } = typeof given === 'string' ? { url: given } : given
  return {
    url,
    headers: (headers && sealer.seal(JSON.stringify(headers), jobId)) || null,
    metadata,
    events: events && events.length > 0 ? events : ['started', 'page', 'completed', 'failed', 'cancelled'],
  }
}
