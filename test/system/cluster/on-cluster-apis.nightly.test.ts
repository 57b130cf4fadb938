// APIs and service loops that are tested in one process, again on a cluster: scrapes, rendered pages, search, schedules, webhooks.
import { onCluster } from '../../support/suites-on-cluster.ts'

onCluster([
  'service/scrape-api',
  'service/service-fetch.long',
  'service/service-search',
  'service/service-schedules',
  '../security/webhook-signatures',
])
