// Jobs as users see them in one process, again on a cluster: submitted, read from files, crawled, exported, by the command line too.
import { onCluster } from '../../support/suites-on-cluster.ts'

onCluster([
  'service/service-remote.long',
  'service/service-jobs',
  'service/service-ingest.long',
  '../security/upload-urls',
])
