// All route groups of the service. To add a group, create it in this folder and add it to the list.
import type { RouteGroup } from '../app.ts'
import { accountApi } from './account.ts'
import { activityApi } from './activity.ts'
import { browsersApi } from './browsers/index.ts'
import { diagnosticsApi } from './diagnostics.ts'
import { doNotCrawlApi } from './do-not-crawl/index.ts'
import { fetchApi } from './fetch/index.ts'
import { firecrawlApis } from './firecrawl/index.ts'
import { healthApi } from './health.ts'
import { hostsApi } from './hosts/index.ts'
import { jobsApi } from './jobs/index.ts'
import { keysApi } from './keys.ts'
import { mcpApi } from './mcp/index.ts'
import { monitorsApi } from './monitors/index.ts'
import { operationsApi } from './operations.ts'
import { planApi } from './plan.ts'
import { previewsApi } from './previews/index.ts'
import { proxiesApi } from './proxies.ts'
import { retentionApi } from './retention.ts'
import { schedulesApi } from './schedules/index.ts'
import { scrapeApi } from './scrape/index.ts'
import { scrapersApi } from './scrapers.ts'
import { searchApi } from './search/index.ts'
import { sessionsApi } from './sessions.ts'
import { uploadsApi } from './uploads/index.ts'
import { webhooksApi } from './webhooks/index.ts'

export const routeGroups: readonly RouteGroup[] = [
  jobsApi,
  planApi,
  previewsApi,
  scrapeApi,
  fetchApi,
  browsersApi,
  ...firecrawlApis,
  mcpApi,
  uploadsApi,
  schedulesApi,
  monitorsApi,
  webhooksApi,
  searchApi,
  activityApi,
  scrapersApi,
  sessionsApi,
  hostsApi,
  proxiesApi,
  doNotCrawlApi,
  keysApi,
  accountApi,
  operationsApi,
  diagnosticsApi,
  retentionApi,
  healthApi,
]
