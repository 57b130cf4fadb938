// Tests which tasks count as runnable work, that is, need a worker within the next minute.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openTestContext, type TestContext } from '../../../test/support/coordination.ts'
import type { JobSpecInput } from '../../model/job.ts'
import type { HostPolicyInput } from '../../model/policy/policy.ts'
import { noHealthyProxy } from './job-identities.ts'
import { pauseJob } from './job-states/job-control.ts'
import { releaseTasks } from './release-tasks.ts'
import { runnableWork } from './runnable-work.ts'

const minute = 60_000
let opened: AsyncDisposableStack
before(() => {
  opened = new AsyncDisposableStack()
})
after(() => opened.disposeAsync())

interface Given {
  spec?: Partial<JobSpecInput>
  policy?: HostPolicyInput
}

/** Opens a context with an adopted job that has no tasks in the dispatcher. */
async function given({ spec, policy }: Given = {}) {
  const here: TestContext = opened.use(await openTestContext({ ...(policy && { policy }) }))
  const job = await here.adopt({ urls: ['https://a.example/0'], ...spec })
  here.context.dispatcher.dropWork(job.id, 'a.example')
  const add = (host: string, count: number) => here.context.dispatcher.addWork(job.id, host, count)
  const work = (stored: Parameters<typeof runnableWork>[1] = []) => runnableWork(here.context, stored)
  return { ...here, job, add, work }
}

test('of 20,000 URLs of one host, at one request per second, those of one minute count as runnable work', async () => {
  const { add, work } = await given()
  add('a.example', 20_000)
  const { http, browser } = work()
  assert.ok(http >= 60 && http <= 61, String(http))
  assert.equal(browser, 0)
})

test('100,000 URLs on many hosts all count as runnable', async () => {
  const { add, work } = await given()
  for (let host = 0; host < 10_000; host++) add(`h${host}.example`, 10)
  assert.deepEqual(work(), { http: 100_000, browser: 0, process: 100_000 })
})

test('if a host has no rate limit, all its tasks count as runnable', async () => {
  const { add, work } = await given({ policy: { rate: 'unlimited', concurrency: 1_000 } })
  add('a.example', 5_000)
  assert.equal(work().http, 5_000)
})

test('requests in flight, the rate of the job and its concurrency limit the runnable work of a host', async () => {
  const oneAtATime = await given({ policy: { rate: 'unlimited', concurrency: 2 } })
  oneAtATime.add('a.example', 20_000)
  assert.equal(oneAtATime.work().http, 2 * 60)

  const slowJob = await given({ spec: { policy: { throttle: { rate: 2 } } } })
  for (let host = 0; host < 1_000; host++) slowJob.add(`h${host}.example`, 10)
  assert.ok(slowJob.work().http <= 2 * 60 + 1)

  const narrowJob = await given({ spec: { concurrency: 3 } })
  for (let host = 0; host < 1_000; host++) narrowJob.add(`h${host}.example`, 10)
  assert.equal(narrowJob.work().http, 3 * 60)

  const smallJob = await given({ spec: { maxPages: 7 } })
  for (let host = 0; host < 1_000; host++) smallJob.add(`h${host}.example`, 10)
  assert.equal(smallJob.work().http, 7)
})

test('a host that waits for over a minute needs no worker until a minute before it may start', async () => {
  const { add, work, context, clock } = await given()
  add('a.example', 100)
  context.hosts.pause('a.example', clock.now() + 5 * minute, 'operator')
  assert.equal(work().http, 0)
  clock.advance(4 * minute)
  assert.equal(work().http, 1)
  context.hosts.pause('a.example', null, 'operator')
  assert.equal(work().http, 0)
})

test('a host with an open breaker counts as one runnable task, and only shortly before the breaker half-opens', async () => {
  const { add, work, context, clock } = await given()
  add('a.example', 100)
  for (let n = 0; n < 50; n++) {
    const now = clock.now()
    context.hosts.reserve('a.example', now, now + minute, {})
    context.hosts.finished(
      'a.example',
      { startedAt: now, endedAt: now, failure: 'host.unavailable', page: String(n) },
      now,
    )
    clock.advance(1_000)
  }
  const until = context.hosts.view('a.example', clock.now())!.state.breakerUntil
  assert.ok(until > clock.now() + minute, 'the breaker is open for minutes')
  assert.equal(work().http, 0)
  clock.advance(until - clock.now() - minute / 2)
  assert.equal(work().http, 1)
})

const hours = { from: '22:00', to: '23:00', timeZone: 'UTC' }

test('a job limited to night hours needs a worker only from one minute before these hours begin', async () => {
  const { add, work, clock } = await given({ spec: { policy: { hours } } })
  add('a.example', 100)
  const night = new Date(clock.now()).setUTCHours(22, 0, 0, 0)
  clock.advance(((night - clock.now() + 24 * 60 * minute) % (24 * 60 * minute)) - 10 * minute)
  assert.equal(work().http, 0)
  clock.advance(9.5 * minute)
  assert.ok(work().http > 0)
})

test('a retry that becomes due within the minute counts for its fetch mode', async () => {
  const { work, job } = await given()
  assert.deepEqual(work(), { http: 0, browser: 0, process: 0 })
  const stored = [
    { jobId: job.id, host: 'a.example', later: 1, rendered: 0 },
    { jobId: job.id, host: 'b.example', later: 1, rendered: 1 },
    { jobId: 'of another context', host: 'c.example', later: 9, rendered: 0 },
  ]
  assert.deepEqual(work(stored), { http: 1, browser: 1, process: 2 })
})

test('pages that need a browser count only for browser workers', async () => {
  const some = await given()
  some.add('a.example', 10)
  some.add('b.example', 10)
  const stored = [{ jobId: some.job.id, host: 'b.example', later: 0, rendered: 4 }]
  assert.deepEqual(some.work(stored), { http: 16, browser: 4, process: 20 })

  const all = await given({ spec: { render: 'always' } })
  all.add('a.example', 10)
  assert.deepEqual(all.work(), { http: 0, browser: 10, process: 10 })
})

test('a task in flight counts as runnable until it is settled, even while its robots.txt is fetched', async () => {
  const here = opened.use(await openTestContext())
  await here.adopt({ urls: ['https://a.example/1'], render: 'always' })
  here.context.lanes.fetchRobots = () => new Promise<never>(() => {})
  await releaseTasks(here.context, 10)
  assert.equal((await here.sentToBrowser()).length, 0)
  assert.deepEqual(runnableWork(here.context, []), { http: 0, browser: 1, process: 1 })
})

test('a job that waits for a healthy proxy keeps one worker, which tests the proxies', async () => {
  const plain = await given()
  await pauseJob(plain.context, plain.job, noHealthyProxy, null)
  assert.deepEqual(plain.work(), { http: 1, browser: 0, process: 0 })
  const rendered = await given({ spec: { render: 'always' } })
  await pauseJob(rendered.context, rendered.job, noHealthyProxy, null)
  assert.deepEqual(rendered.work(), { http: 0, browser: 1, process: 0 })
})

test('a job that a caller paused needs no worker', async () => {
  const { context, job, add, work } = await given()
  add('a.example', 100)
  await pauseJob(context, job, null, null)
  assert.deepEqual(work(), { http: 0, browser: 0, process: 0 })
})
