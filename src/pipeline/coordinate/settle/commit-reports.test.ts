// Tests the group commit: what reports change in the store, for their host and in the counts of the job.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newRecord } from '../../../../test/contracts/store/fixtures.ts'
import { openTestContext, type TestContext } from '../../../../test/support/coordination.ts'
import type { FailureCode } from '../../../model/failures.ts'
import { Failure } from '../../../model/failures.ts'
import type { TaskReport, TimedTask } from '../../../model/lane.ts'
import { failedReport } from '../../work/task-report.ts'
import { dropInFlight } from '../in-flight.ts'
import { releaseTasks } from '../release-tasks.ts'
import type { RunningJob } from '../running-job.ts'
import { commitReports } from './commit-reports.ts'

const polite = { policy: { robots: 'ignore' as const } }

/** Claims runnable tasks, and returns those that were given to the lanes. */
async function release(here: TestContext): Promise<TimedTask[]> {
  const { refused } = await releaseTasks(here.context, 100)
  assert.deepEqual(refused, [])
  return here.sent()
}

const done = (task: TimedTask, now: number): TaskReport => ({
  ...failedReport(task, null, now),
  failure: null,
  status: 200,
})
const failedWith = (task: TimedTask, code: FailureCode, now: number, details = {}): TaskReport =>
  failedReport(task, new Failure(code, code, details), now)

const counted = (job: RunningJob) => ({ open: job.open, inFlight: job.inFlight, pages: job.pages })

test('a finished page is counted, and its host gets its slot back', async () => {
  await using here = await openTestContext({ policy: { rate: 'unlimited' } })
  const job = await here.adopt({ urls: ['https://a.example/1', 'https://a.example/2'], ...polite })
  const [task] = await release(here)
  assert.deepEqual(counted(job), { open: 2, inFlight: 1, pages: 0 })
  await commitReports(here.context, [done(task!, here.clock.now())])
  assert.deepEqual(counted(job), { open: 1, inFlight: 0, pages: 1 })
  assert.equal(here.context.hosts.view('a.example', here.clock.now())?.inFlight, 0)
  assert.equal(here.context.inFlight.size, 0)
})

test('tasks with long records are committed one after the other, each together with its records', async () => {
  await using here = await openTestContext({ policy: { rate: 'unlimited' } })
  const urls = [1, 2, 3, 4].map(n => `https://a.example/${n}`)
  const job = await here.adopt({ urls, ...polite, policy: { ...polite.policy, host: { concurrency: 4 } } })
  const tasks = await release(here)
  assert.equal(tasks.length, 4)
  const { store } = here.context
  const groups: number[] = []
  const commit: typeof store.commit = group => {
    groups.push(group.settlements.length)
    return store.commit(group)
  }
  const reports = tasks.map((task, index) => {
    const data = JSON.stringify({ text: 'x'.repeat(index < 2 ? 1_500_000 : 10) })
    return { ...done(task, here.clock.now()), records: [newRecord(0, { data })] }
  })
  await commitReports({ ...here.context, store: { ...store, commit } }, reports)
  assert.deepEqual(groups, [1, 3])
  assert.deepEqual(counted(job), { open: 0, inFlight: 0, pages: 4 })
  const stored = await Promise.all(tasks.map(({ n }) => store.records.ofTask(job.id, n)))
  assert.deepEqual(
    stored.map(records => records.length),
    [1, 1, 1, 1],
  )
  await commitReports(here.context, reports)
  assert.deepEqual(counted(job), { open: 0, inFlight: 0, pages: 4 })
})

test('two reports of one attempt count once', async () => {
  await using here = await openTestContext()
  const job = await here.adopt({ urls: ['https://a.example/1'], ...polite })
  const [task] = await release(here)
  const lost = failedWith(task!, 'lease.lost', here.clock.now())
  await commitReports(here.context, [done(task!, here.clock.now()), lost])
  assert.deepEqual(counted(job), { open: 0, inFlight: 0, pages: 1 })
  await commitReports(here.context, [lost])
  assert.deepEqual(counted(job), { open: 0, inFlight: 0, pages: 1 })
})

test('a task that will be retried stays open and waits in the store', async () => {
  await using here = await openTestContext()
  const job = await here.adopt({ urls: ['https://a.example/1'], ...polite })
  const [task] = await release(here)
  await commitReports(here.context, [failedWith(task!, 'http.server-error', here.clock.now())])
  assert.deepEqual(counted(job), { open: 1, inFlight: 0, pages: 0 })
  assert.ok((await here.context.store.tasks.nextWake(job.id))! > here.clock.now())
})

test('a 429 delays the host that sent it, not the host that redirected there', async () => {
  await using here = await openTestContext()
  await here.adopt({ urls: ['https://a.example/1'], ...polite })
  const [task] = await release(here)
  const report = failedWith(task!, 'host.throttled', here.clock.now(), { retryAfterMs: 60_000 })
  await commitReports(here.context, [{ ...report, finalUrl: 'https://b.example/' }])
  here.clock.advance(30_000)
  assert.equal(here.context.hosts.waitOf('a.example', here.clock.now()), null)
  assert.equal(here.context.hosts.waitOf('b.example', here.clock.now())?.reason, 'retry-after')
})

test('a task that did not reach a failing host, or that lost its lease, does not make the host healthy', async () => {
  await using here = await openTestContext({
    policy: { breaker: { failures: 1, window: 1, cooldownMs: 60_000 } },
  })
  const { context, clock } = here
  await here.adopt({ urls: [1, 2, 3, 4].map(n => `https://a.example/${n}`), ...polite })
  const breakerAfter = async (end: (task: TimedTask) => unknown) => {
    const [task] = await release(here)
    await end(task!)
    clock.advance(60_000)
    return context.hosts.view('a.example', clock.now())?.breaker
  }
  const fail = (code: FailureCode) => (task: TimedTask) =>
    commitReports(context, [failedWith(task, code, clock.now())])
  assert.equal(await breakerAfter(fail('connect.refused')), 'half_open')
  assert.equal(await breakerAfter(fail('host.not-now')), 'half_open')
  assert.equal(await breakerAfter(task => dropInFlight(context, context.inFlight.get(task)!)), 'half_open')
  assert.equal(await breakerAfter(task => commitReports(context, [done(task, clock.now())])), 'closed')
})

test('if a task fails because of a disk error, its job gets the error, so that it pauses', async () => {
  await using here = await openTestContext()
  const job = await here.adopt({ urls: ['https://a.example/1'], ...polite })
  const [task] = await release(here)
  await commitReports(here.context, [failedWith(task!, 'storage.failed', here.clock.now())])
  assert.equal(job.storage.code, 'storage.failed')
})

test('links that a page finds after the page budget is used up become no tasks', async () => {
  await using here = await openTestContext({ policy: { rate: 'unlimited', concurrency: 4 } })
  const job = await here.adopt({
    seedUrls: ['https://a.example/1', 'https://a.example/2'],
    maxPages: 2,
    sitemap: 'skip',
    ...polite,
  })
  const links = {
    urls: ['https://a.example/9'],
    hosts: ['a.example'],
    keys: new BigInt64Array([9n]),
    refused: {},
  }
  const [one, two] = await release(here)
  await commitReports(here.context, [
    { ...done(one!, here.clock.now()), links },
    done(two!, here.clock.now()),
  ])
  assert.equal(job.open, 1)
  assert.equal(job.budgetReached, true)
})

test('a failed commit changes no count, and can be repeated', async () => {
  await using here = await openTestContext()
  const job = await here.adopt({ urls: ['https://a.example/1'], ...polite })
  const [task] = await release(here)
  const report = done(task!, here.clock.now())
  const broken = {
    ...here.context,
    store: { ...here.context.store, commit: () => Promise.reject(new Failure('storage.full', 'full')) },
  }
  await assert.rejects(commitReports(broken, [report]), /full/)
  assert.deepEqual(counted(job), { open: 1, inFlight: 1, pages: 0 })
  await commitReports(here.context, [report])
  assert.deepEqual(counted(job), { open: 0, inFlight: 0, pages: 1 })
  const host = await here.context.store.hosts.get('a.example')
  assert.equal(host?.requests, 1, 'the host state from before the failed commit is saved too')
})

test('after a redirect to another host, the delay of each host counts from the request to that host', async () => {
  await using here = await openTestContext({ policy: { rate: 1 } })
  await here.adopt({ urls: ['https://a.example/1'], ...polite })
  const [task] = await release(here)
  const start = here.clock.now()
  here.clock.advance(5_000)
  const times = { sentAt: start, lastSentAt: start + 4_500, endedAt: start + 5_000 }
  await commitReports(here.context, [{ ...done(task!, start), ...times, finalUrl: 'https://b.example/' }])
  assert.equal(here.context.hosts.waitOf('a.example', here.clock.now()), null)
  assert.deepEqual(here.context.hosts.waitOf('b.example', here.clock.now()), {
    reason: 'rate',
    until: start + 5_500,
  })
})

test('after a redirect within one host, the delay starts with the last request', async () => {
  await using here = await openTestContext({ policy: { rate: 1 } })
  await here.adopt({ urls: ['https://a.example/1'], ...polite })
  const [task] = await release(here)
  const start = here.clock.now()
  here.clock.advance(5_000)
  const times = { sentAt: start, lastSentAt: start + 4_500, endedAt: start + 5_000 }
  await commitReports(here.context, [{ ...done(task!, start), ...times, finalUrl: 'https://a.example/2' }])
  assert.equal(here.context.hosts.waitOf('a.example', here.clock.now())?.until, start + 5_500)
})
