// The same test with more jobs, and with pages that need a browser. Each workspace learns separately which pages need a browser.
import { test } from 'node:test'
import { compareServices } from './two-services.ts'

test('many random jobs of two workspaces on one service run as if each workspace had its own service', async () => {
  await compareServices({
    runs: 60,
    jobsPerRun: 12,
    pages: 2,
    modes: [undefined],
    seed: Date.now() % 2 ** 31,
  })
})

test('jobs of two workspaces with automatic rendering run as if each workspace had its own service', async () => {
  await compareServices({
    runs: 6,
    jobsPerRun: 12,
    pages: 3,
    modes: [undefined, 'auto', 'auto'],
    seed: Date.now() % 2 ** 31,
  })
})
