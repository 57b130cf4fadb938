// Tests seed 002 (an earlier specification) on a cluster: as with one process, keys act for the workspaces that they name, and a
// process that stops finishes waiting calls first.
import { onCluster } from '../support/suites-on-cluster.ts'

onCluster(['seed-002-workspaces', 'seed-002-waiting-calls.long'], 'seeds')
