// Tests when a page counts as ready, given its activity over time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageActivity } from './cdp/settle-scripts.ts'
import { type NetworkActivity, type Settled, type SettleLimits, Settling } from './settling.ts'

const still: PageActivity = {
  timers: 0,
  requests: [],
  shape: '100 20',
  isEmpty: false,
  isLoading: false,
  missing: 0,
}

/** Checks the page every 50 ms until it is settled. `at` returns the activity of the page at a given time. */
function settle(
  at: (ms: number) => Partial<PageActivity & NetworkActivity>,
  limits: Partial<SettleLimits> = {},
): { settled: Settled; ms: number } {
  const settling = new Settling({ settleMs: 10_000, ...limits }, 0)
  for (let ms = 0; ms < 60_000; ms += 50) {
    const { inFlight = 0, activity = 0, isLoaded = true, ...page } = at(ms)
    const settled = settling.look({ ...still, ...page }, { inFlight, activity, isLoaded }, ms)
    if (settled) return { settled, ms }
  }
  throw new Error('never settled')
}

test('a page without activity is ready after a short time', () => {
  assert.deepEqual(
    settle(() => ({})),
    { settled: 'quiet', ms: 100 },
  )
})

test('the browser waits for requests that follow each other', () => {
  const { settled, ms } = settle(ms => ({
    requests: ms < 800 ? [ms % 400] : [],
    shape: ms < 850 ? 'shell' : 'filled',
  }))
  assert.equal(settled, 'quiet')
  assert.ok(ms >= 950, `${ms}`)
})

test('the browser waits for a short timer before a request', () => {
  const { ms } = settle(ms => ({ timers: ms < 500 ? 1 : 0, requests: ms >= 500 && ms < 900 ? [1] : [] }))
  assert.ok(ms >= 900)
})

test('the browser waits while the root element is empty, even if nothing is loading', () => {
  assert.deepEqual(
    settle(ms => ({ isEmpty: ms < 4_000, shape: ms < 4_000 ? 'a' : 'b' })),
    { settled: 'content', ms: 4_100 },
  )
})

test('the browser waits for placeholder content and missing fields to be filled, up to the limit', () => {
  assert.deepEqual(
    settle(() => ({ isLoading: true })),
    { settled: 'deadline', ms: 10_000 },
  )
  assert.deepEqual(
    settle(() => ({ missing: 1 }), { settleMs: 2_000 }),
    { settled: 'deadline', ms: 2_000 },
  )
  assert.equal(settle(ms => ({ missing: ms < 1_000 ? 1 : 0 })).settled, 'content')
})

test('long polls, endless streams and endless changes do not delay a page that has content', () => {
  assert.ok(settle(ms => ({ requests: [ms] })).ms <= 8_000)
  assert.ok(settle(ms => ({ shape: String(ms) })).ms <= 3_100, 'a ticker')
  assert.ok(settle(ms => ({ timers: 1, activity: ms })).ms <= 3_100, 'a polling loop')
})

test('the browser waits for a slow request even if the page has content', () => {
  const { settled, ms } = settle(ms => ({
    requests: ms < 4_000 ? [ms] : [],
    shape: ms < 4_000 ? 'menu' : 'all',
  }))
  assert.deepEqual([settled, ms >= 4_000], ['quiet', true])
})

test('if timers cannot be observed, the page must be idle for a longer time', () => {
  assert.deepEqual(
    settle(() => ({}), { isBlind: true }),
    { settled: 'quiet', ms: 500 },
  )
})

test('a page that loads in steps is parsed after the last step, even if a step is late', () => {
  const rowsAt = (ms: number) => (ms < 600 ? Math.floor(ms / 100) : ms < 850 ? 6 : 7)
  const { ms } = settle(ms => ({ shape: `${rowsAt(ms)} rows` }))
  assert.ok(ms >= 850, `${ms}`)
})

test('a frame or a script that never arrives delays a page with content by at most three seconds', () => {
  const at = { isLoaded: false, inFlight: 1 }
  assert.deepEqual(
    settle(() => at),
    { settled: 'quiet', ms: 3_000 },
  )
})

test('the browser waits for requests that the load event starts', () => {
  const { ms } = settle(ms => ({ isLoaded: ms >= 800, requests: ms >= 800 && ms < 1_200 ? [ms - 800] : [] }))
  assert.ok(ms >= 1_200, `${ms}`)
})
