// Tests how the heartbeats of all workers of a cluster are combined.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BrowserPool } from '../../model/events.ts'
import type { WorkerHeartbeat } from '../../ports/stream-contents.ts'
import { joinedPool } from './presence.ts'

const browser = { driver: 'cdp', phase: 'serving', startedAt: 1, pages: 4, inUse: 1, memoryBytes: 5 } as const
const poolOf = (pid: number): BrowserPool => ({
  ...{ total: 2, available: 1, inUse: 1, pagesProcessed: 4, recycledCount: 1 },
  browsers: [{ pid, ...browser }],
  seats: [],
})
const sign = (name: string, browserPool?: BrowserPool): WorkerHeartbeat => ({
  ...{ name, role: 'browser-worker', concurrency: 2, held: 0 },
  ...(browserPool && { browserPool }),
})

test('the health shows the browsers of all workers as one pool, each with the name of its worker', () => {
  const joined = joinedPool([sign('a', poolOf(7)), sign('b'), sign('c', poolOf(7))])
  assert.deepEqual(
    [joined?.total, joined?.inUse, joined?.pagesProcessed, joined?.recycledCount],
    [4, 2, 8, 2],
  )
  assert.deepEqual(
    joined?.browsers.map(({ worker, pid }) => [worker, pid]),
    [
      ['a', 7],
      ['c', 7],
    ],
  )
})

test('before any worker has loaded a page in a browser, the health shows no pool', () => {
  assert.equal(joinedPool([sign('a'), sign('b')]), null)
})
