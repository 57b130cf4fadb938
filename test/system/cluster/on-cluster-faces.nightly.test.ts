// Faces and duties as users see them in one process, again on a cluster: scrapes, rendered pages, search, schedules, webhooks.
import { onCluster } from '../../support/suites-on-cluster.ts'

onCluster([
  'scrape-face',
  'service-fetch.long',
  'service-search',
  'service-schedules',
  '../security/webhook-signatures',
])
