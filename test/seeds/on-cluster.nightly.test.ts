// Seed 002 on a cluster: a key acts for the workspaces that it names, as in one process.
import { onCluster } from '../support/suites-on-cluster.ts'

onCluster(['seed-002-workspaces'], 'seeds')
