// Tests the dashboard on a cluster: every page works as with one process, including browsers of workers.
import { onCluster } from '../support/suites-on-cluster.ts'

onCluster(['pages.long'], 'dashboard')
