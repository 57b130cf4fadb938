// Runs tests of jobs again on a cluster: submitted, read from files, crawled and exported, also by the command line.
import { onCluster } from '../../support/suites-on-cluster.ts'

onCluster([
  'service/service-remote.long',
  'service/service-jobs',
  'service/service-ingest.long',
  '../security/upload-urls',
])
