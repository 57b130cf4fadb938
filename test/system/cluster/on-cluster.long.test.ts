// One journey per API, run again on a cluster. The whole suites run in on-cluster-*.nightly.test.ts.
import { onCluster } from '../../support/suites-on-cluster.ts'

onCluster([
  { name: 'service/service-jobs', only: 'results are returned page by page' },
  { name: 'service/scrape-api', only: 'a synchronous scrape answers with its record' },
  { name: 'service/service-fetch.long', only: 'links are rendered' },
  { name: 'service/service-search', only: 'words are found in every field' },
  { name: 'service/service-schedules', only: 'however often an external clock requests it' },
  { name: '../security/webhook-signatures', only: 'an ended job sends a signed webhook' },
  { name: '../security/upload-urls', only: 'urls.csv.gz is sent to its URL' },
  { name: 'service/service-remote.long', only: 'a list goes to the service as an upload' },
])
