// Runs one test of each API again on a cluster. on-cluster-*.nightly.test.ts run the whole suites.
import { onCluster } from '../../support/suites-on-cluster.ts'

onCluster([
  { name: 'service/service-jobs', only: 'results are returned page by page' },
  { name: 'service/scrape-api', only: 'a synchronous scrape returns its record' },
  { name: 'service/service-fetch.long', only: 'links are rendered' },
  { name: 'service/service-search', only: 'words are found in every field' },
  { name: 'service/service-schedules', only: 'however often an external clock requests' },
  { name: '../security/webhook-signatures', only: 'an ended job sends a signed webhook' },
  { name: '../security/upload-urls', only: 'urls.csv.gz is sent to its URL' },
  { name: 'service/service-remote.long', only: 'a list is uploaded to the service' },
])
