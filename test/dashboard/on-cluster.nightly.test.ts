// The dashboard over a cluster: every page is used as on one process, and the browsers of workers are among them.
import { onCluster } from '../support/suites-on-cluster.ts'

onCluster(['pages.long'], 'dashboard')
