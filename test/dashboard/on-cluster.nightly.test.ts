// The dashboard on a cluster: every page works as on one process, also with browsers of workers.
import { onCluster } from '../support/suites-on-cluster.ts'

onCluster(['pages.long'], 'dashboard')
