// Promise: what a workspace gets does not depend on what other workspaces of the service do.
import { test } from 'node:test'
import { compareServices } from './two-services.ts'

test('random jobs of two workspaces run as they would on two services', async () => {
  await compareServices({ runs: 3, jobsPerRun: 6, pages: 2, modes: [undefined], seed: 17 })
})
