// Every face of the service. To add one: write it beside these and name it here.
import type { Face } from '../app.ts'
import { accountFace } from './account.ts'
import { diagnosticsFace } from './diagnostics.ts'
import { doNotCrawlFace } from './do-not-crawl/index.ts'
import { fetchFace } from './fetch/index.ts'
import { firecrawlFaces } from './firecrawl/index.ts'
import { healthFace } from './health.ts'
import { hostsFace } from './hosts/index.ts'
import { jobsFace } from './jobs/index.ts'
import { keysFace } from './keys.ts'
import { mcpFace } from './mcp/index.ts'
import { monitorsFace } from './monitors/index.ts'
import { operationsFace } from './operations.ts'
import { planFace } from './plan.ts'
import { previewsFace } from './previews/index.ts'
import { proxiesFace } from './proxies.ts'
import { retentionFace } from './retention.ts'
import { schedulesFace } from './schedules/index.ts'
import { scrapeFace } from './scrape/index.ts'
import { searchFace } from './search/index.ts'
import { uploadsFace } from './uploads/index.ts'
import { webhooksFace } from './webhooks/index.ts'

export const faces: readonly Face[] = [
  jobsFace,
  planFace,
  previewsFace,
  scrapeFace,
  fetchFace,
  ...firecrawlFaces,
  mcpFace,
  uploadsFace,
  schedulesFace,
  monitorsFace,
  webhooksFace,
  searchFace,
  hostsFace,
  proxiesFace,
  doNotCrawlFace,
  keysFace,
  accountFace,
  operationsFace,
  diagnosticsFace,
  retentionFace,
  healthFace,
]
