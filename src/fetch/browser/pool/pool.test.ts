// Tests which tasks share a browser context, which tasks wait, and when browsers start and end.
import assert from 'node:assert/strict'
import test from 'node:test'
import { fakePool, never, seatRequest, until } from '../../../../test/support/fake-browsers.ts'
import { asFailure } from '../../../model/failures.ts'
import { defaultLimits } from './retirement.ts'

const fine = { isBroken: false }
const turn = () => new Promise<void>(resolve => setImmediate(resolve))

test('tasks of one job and session reuse one context, which is cleared before each task', async () => {
  const { pool, browsers } = fakePool()
  await using _ = pool
  for (let task = 0; task < 3; task++) await (await pool.acquire(seatRequest(), never)).release(fine)
  assert.deepEqual(
    browsers.map(browser => browser.contexts.map(context => context.cleared)),
    [[3]],
  )
})

test('two jobs, two sessions or two drivers never share a context', async () => {
  const { pool, browsers } = fakePool()
  await using _ = pool
  const requests = [{}, { jobId: 'other' }, { session: 'other' }, { driver: 'playwright' as const }]
  for (const request of requests) await (await pool.acquire(seatRequest(request), never)).release(fine)
  assert.equal(browsers.flatMap(browser => browser.contexts).length, 4)
})

test('with isolation by task no context is reused', async () => {
  const { pool, browsers } = fakePool()
  await using _ = pool
  for (let task = 0; task < 3; task++) {
    await (await pool.acquire(seatRequest({ isolation: 'task' }), never)).release(fine)
  }
  assert.deepEqual(
    browsers.flatMap(browser => browser.contexts.map(context => context.isClosed)),
    [true, true, true],
  )
})

test('a full pool fails after the wait limit', async () => {
  const { pool } = fakePool({ size: 1, acquireMs: 30 })
  await using _ = pool
  const seat = await pool.acquire(seatRequest(), never)
  const failure = await pool.acquire(seatRequest(), never).then(() => null, asFailure)
  assert.equal(failure?.code, 'pool.exhausted')
  assert.match(failure.message, /SCRAPER_BROWSER_POOL_SIZE/)
  await seat.release(fine)
})

test('a waiting task gets the next free seat', async () => {
  const { pool } = fakePool({ size: 1 })
  await using _ = pool
  const seat = await pool.acquire(seatRequest(), never)
  const waiting = pool.acquire(seatRequest(), never)
  await seat.release(fine)
  await (await waiting).release(fine)
  assert.equal(pool.stats().available, 1)
})

test('a task that stops waiting for a seat does not get one later', async () => {
  const { pool } = fakePool({ size: 1 })
  await using _ = pool
  const seat = await pool.acquire(seatRequest(), never)
  const leaving = new AbortController()
  const waiting = pool.acquire(seatRequest(), leaving.signal)
  leaving.abort(new Error('left'))
  await assert.rejects(waiting, /left/)
  await seat.release(fine)
  const { browsers, ...counts } = pool.stats()
  assert.deepEqual(
    browsers.map(({ phase, pages, inUse }) => ({ phase, pages, inUse })),
    [{ phase: 'serving', pages: 1, inUse: 0 }],
  )
  assert.deepEqual(counts, {
    total: 1,
    available: 1,
    in_use: 0,
    pages_processed: 1,
    recycled_count: 0,
  })
})

test('idle contexts of other jobs are closed if a seat is needed', async () => {
  const { pool, browsers } = fakePool({ size: 2, contextsPerBrowser: 2 })
  await using _ = pool
  // Releases one after the other, so that the first context is idle for the longest time.
  const old = [await pool.acquire(seatRequest(), never), await pool.acquire(seatRequest(), never)]
  for (const seat of old) await seat.release(fine)

  await (await pool.acquire(seatRequest({ jobId: 'new' }), never)).release(fine)

  assert.equal(browsers.length, 1)
  assert.deepEqual(
    browsers[0]!.contexts.map(context => context.isClosed),
    [true, false, false],
  )
})

test('before a retired browser ends, a new browser starts and gets the sessions of the retired one', async () => {
  const { pool, browsers } = fakePool({ limits: { ...defaultLimits, pages: 2 } })
  await using _ = pool
  const state = { cookies: [], origins: [{ origin: 'http://a.example', localStorage: [] }] }
  const first = await pool.acquire(seatRequest(), never)
  const second = await pool.acquire(seatRequest(), never)
  browsers[0]!.contexts[1]!.kept = state
  await first.release(fine)
  await until(() => browsers.length === 2 && pool.stats().recycled_count === 1)
  assert.equal(browsers[0]!.isClosed, false, 'it ends with its last page, not before')

  await second.release(fine)
  await until(() => browsers[0]!.isClosed)
  const seats = await Promise.all([pool.acquire(seatRequest(), never), pool.acquire(seatRequest(), never)])
  const given = browsers[1]!.contexts.map(context => context.options.state)
  assert.ok(given.includes(state))
  for (const seat of seats) await seat.release(fine)
})

test('if a browser disappears, its seats become free, and the next page gets another browser', async () => {
  const { pool, browsers } = fakePool()
  await using _ = pool
  const seat = await pool.acquire(seatRequest(), never)
  browsers[0]!.die()
  await seat.release({ isBroken: true })

  await (await pool.acquire(seatRequest(), never)).release(fine)
  assert.equal(browsers.length, 2)
  const { browsers: running, ...counts } = pool.stats()
  assert.equal(running.length, 1)
  assert.deepEqual(counts, {
    total: 4,
    available: 4,
    in_use: 0,
    pages_processed: 2,
    recycled_count: 1,
  })
})

test('contexts of a job are closed when the job ends', async () => {
  const { pool, browsers } = fakePool()
  await using _ = pool
  for (const jobId of ['a', 'b']) await (await pool.acquire(seatRequest({ jobId }), never)).release(fine)
  await pool.closeJob('a')
  assert.deepEqual(
    browsers.flatMap(browser => browser.contexts.map(context => context.isClosed)),
    [true, false],
  )
})

test('if a browser does not start, the task that needs it fails, and its seat becomes free', async () => {
  const { pool } = fakePool({ launch: () => Promise.reject(new Error('no such program')) })
  await using _ = pool
  await assert.rejects(pool.acquire(seatRequest(), never), /no such program/)
  assert.equal(pool.stats().available, 4)
})

test('a job with credentials gets a browser with site isolation, and shares it only with such jobs', async () => {
  const { pool, browsers } = fakePool()
  await using _ = pool
  for (const [jobId, keepsSitesApart] of [
    ['plain', false],
    ['secret', true],
    ['secret too', true],
  ] as const)
    await (await pool.acquire(seatRequest({ jobId, keepsSitesApart }), never)).release(fine)
  const given = browsers.map(({ contexts }) => contexts.map(({ options }) => options.keepsSitesApart))
  assert.deepEqual(given, [[false], [true, true]])
})

test('pages that wait for a browser at the same time share its start', async ({ mock }) => {
  const { promise: slow, resolve: start } = Promise.withResolvers<void>()
  const { pool, browsers } = fakePool({ acquireMs: 1_000, before: () => slow })
  await using _ = pool
  mock.timers.enable({ apis: ['setTimeout'] })
  const waiting = [pool.acquire(seatRequest(), never), pool.acquire(seatRequest(), never)]
  await turn()
  mock.timers.tick(14_000)
  start()
  mock.timers.reset()
  for (const seat of await Promise.all(waiting)) await seat.release(fine)
  assert.equal(browsers.length, 1)
})

test('a context that opens after its task stopped waiting is closed', async ({ mock }) => {
  const { promise: slow, resolve: open } = Promise.withResolvers<void>()
  const { pool, browsers } = fakePool()
  await using _ = pool
  // The second seat keeps the browser in use. Otherwise the pool would end it with all its contexts.
  const held = await pool.acquire(seatRequest(), never)
  browsers[0]!.beforeContext = slow
  mock.timers.enable({ apis: ['setTimeout'] })
  const late = pool.acquire(seatRequest(), never).then(() => null, asFailure)
  while (browsers[0]!.contexts.length < 2) await turn()
  mock.timers.tick(60_000)
  assert.equal((await late)?.code, 'browser.crashed')
  mock.timers.reset()
  open()
  await until(() => browsers[0]!.contexts[1]!.isClosed)
  await held.release(fine)
})
