// Seed 002 on a cluster: keys act for the workspaces that they name, and a stop drains calls, as in one process.
import { onCluster } from '../support/suites-on-cluster.ts'

onCluster(['seed-002-workspaces', 'seed-002-waiting-calls.long'], 'seeds')
