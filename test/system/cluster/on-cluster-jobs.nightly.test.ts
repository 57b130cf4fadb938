// Jobs as users see them in one process, again on a cluster: submitted, read from files, crawled, exported, by the command line too.
import { onCluster } from '../../support/suites-on-cluster.ts'

onCluster(['service-remote.long', 'service-jobs', 'service-ingest.long', '../security/upload-urls'])
