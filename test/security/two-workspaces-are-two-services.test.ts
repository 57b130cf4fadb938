// Promise: results of a workspace do not depend on other workspaces of the service.
import { test } from 'node:test'
import { compareServices } from './two-services.ts'

test('random jobs of two workspaces on one service run as if each workspace had its own service', async () => {
  await compareServices({ runs: 6, jobsPerRun: 10, pages: 2, modes: [undefined], seed: 17 })
})
