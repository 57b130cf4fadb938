// Runs tests of APIs and service loops again on a cluster: scrapes, rendered pages, search, schedules and webhooks.
import { onCluster } from '../../support/suites-on-cluster.ts'

onCluster([
  'service/scrape-api',
  'service/service-fetch.long',
  'service/service-search',
  'service/service-schedules',
  '../security/webhook-signatures',
])
