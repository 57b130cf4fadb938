// Tests hosts that do not respond: how long a job waits for each of them, and that other hosts are not affected.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestContext, type TestContext } from '../../../../test/support/coordination.ts'
import { Failure, type FailureCode } from '../../../model/failures.ts'
import type { LeasedTask } from '../../../model/task.ts'
import { failedReport } from '../../work/task-report.ts'
import { checkJob } from '../job-states/job-control.ts'
import { releaseTasks } from '../release-tasks.ts'
import type { RunningJob } from '../running-job.ts'
import { commitReports } from '../settle/commit-reports.ts'

const minute = 60_000
const policy = { robots: 'ignore', host: { rate: 'unlimited' } } as const

async function open(urls: string[]) {
  const here = await openTestContext({})
  return { ...here, job: await here.adopt({ urls, policy }) }
}

/** Releases runnable tasks. For each task, reports what `outcome` returns for its host. */
async function attempt(
  here: TestContext,
  outcome: (task: LeasedTask) => FailureCode | null,
): Promise<number> {
  for (const { jobId, host, count } of await here.context.store.tasks.wake(here.clock.now()))
    here.context.dispatcher.addWork(jobId, host, count)
  const { count } = await releaseTasks(here.context, 100)
  const held = [...here.context.inFlight.values()].map(({ task }) => ({ ...task, startAt: 0, gapMs: 0 }))
  const reports = held.map(task => {
    const code = outcome(task)
    const report = failedReport(
      task,
      new Failure(code ?? 'http.not-found', 'as the test says'),
      here.clock.now(),
    )
    return code === null ? { ...report, failure: null, status: 200 } : report
  })
  await commitReports(here.context, reports)
  return count
}

const tasksOf = async ({ context }: TestContext, job: RunningJob) =>
  (await context.store.tasks.list(job.id)).map(({ host, state, reason }) => [host, state, reason])

const dead = (n: number) => Array.from({ length: n }, (_, index) => `https://dead.example/${index}`)

test('tasks of a host that never responded fail after the time limit of the job', async () => {
  await using here = await open([...dead(8), 'https://good.example/'])
  await attempt(here, ({ host }) => (host === 'good.example' ? null : 'connect.refused'))
  await checkJob(here.context, here.job)
  const early = await tasksOf(here, here.job)
  assert.ok(early.filter(([host]) => host === 'dead.example').every(([, state]) => state === 'pending'))
  here.clock.advance(2 * minute)
  await checkJob(here.context, here.job)
  const after = await tasksOf(here, here.job)
  assert.deepEqual(
    after.filter(([host]) => host === 'dead.example'),
    dead(8).map(() => ['dead.example', 'failed', 'host.unreachable']),
  )
  assert.deepEqual(after.at(-1), ['good.example', 'succeeded', 'ok'])
  assert.equal(here.job.open, 0)
  const [task] = await here.context.store.tasks.failed(here.job.id, { after: 0, limit: 1 })
  assert.match(
    task!.message!,
    /dead\.example did not answer for 2m \(last: connect\.refused\); policy\.patience_ms/,
  )
})

test('dead hosts never pause a job, because its breaker counts only tasks of hosts that answer', async () => {
  const hosts = Array.from({ length: 25 }, (_, index) => `https://dead-${index}.example/`)
  await using here = await open([...hosts, 'https://good.example/1', 'https://good.example/2'])
  const outcome = ({ host }: LeasedTask) => (host === 'good.example' ? null : ('connect.refused' as const))
  for (let round = 0; round < 11; round++) {
    await attempt(here, outcome)
    await checkJob(here.context, here.job)
    assert.deepEqual([here.job.job.state, here.job.job.reason], ['running', null], String(round))
    here.clock.advance(10_000)
  }
  const ended = await tasksOf(here, here.job)
  assert.equal(ended.filter(([, state]) => state === 'succeeded').length, 2)
  assert.ok(ended.some(([, state, reason]) => state === 'failed' && reason === 'connect.refused'))
})

test('for a host that answered before, tasks fail only after a long outage', async () => {
  await using here = await open([
    'https://shop.example/0',
    'https://shop.example/1',
    'https://other.example/',
  ])
  await attempt(here, ({ url }) => (url.endsWith('/1') ? 'connect.refused' : null))
  for (let passed = 0; passed < 50 * minute; passed += 5 * minute) {
    await attempt(here, () => 'connect.refused')
    await checkJob(here.context, here.job)
    here.clock.advance(5 * minute)
  }
  assert.deepEqual((await tasksOf(here, here.job))[1], ['shop.example', 'pending', 'connect.refused'])
  here.clock.advance(11 * minute)
  await checkJob(here.context, here.job)
  assert.deepEqual((await tasksOf(here, here.job))[1], ['shop.example', 'failed', 'host.unreachable'])
})

test('if no host answers at all, the job is paused as network.down, and no task is lost', async () => {
  await using here = await open(['a', 'b', 'c', 'd'].map(name => `https://${name}.example/`))
  await attempt(here, () => 'connect.timeout')
  here.clock.advance(15_000)
  await checkJob(here.context, here.job)
  assert.deepEqual(
    [here.job.job.state, here.job.job.reason, here.job.job.resumeAt],
    ['paused', 'network.down', here.clock.now() + 30_000],
  )
  for (let round = 0; round < 8; round++) {
    here.clock.advance(30_000)
    await checkJob(here.context, here.job)
    await attempt(here, () => 'connect.timeout')
    await checkJob(here.context, here.job)
  }
  assert.ok((await tasksOf(here, here.job)).every(([, state]) => state === 'pending'))
  here.clock.advance(2 * minute)
  await checkJob(here.context, here.job)
  await attempt(here, () => null)
  assert.ok((await tasksOf(here, here.job)).every(([, state]) => state === 'succeeded'))
})

test('a page that always answers 429 is retried after the other pages of its host, and fails in the end', async () => {
  await using here = await open([
    'https://shop.example/busy',
    'https://shop.example/1',
    'https://shop.example/2',
  ])
  const order: string[] = []
  for (let round = 0; round < 40; round++) {
    await attempt(here, ({ url }) => {
      order.push(new URL(url).pathname)
      return url.endsWith('/busy') ? 'host.throttled' : null
    })
    here.clock.advance(minute)
  }
  assert.deepEqual(new Set(order.slice(0, 3)), new Set(['/busy', '/1', '/2']))
  assert.equal(order.filter(path => path === '/busy').length, 20)
  assert.deepEqual((await tasksOf(here, here.job))[0], ['shop.example', 'failed', 'host.throttled'])
})

test('a host that accepts connections and never answers is excluded after the time limit', async () => {
  const here = await openTestContext({})
  await using _ = here
  const policy = { patienceMs: 1_000, outageMs: 60_000 }
  const job = await here.adopt({ urls: ['https://a.example/1', 'https://a.example/2'], policy })
  here.context.hosts.noteRobots('a.example', 'mute', here.clock.now())
  here.clock.advance(1_000)
  await checkJob(here.context, job)
  const mute = ['a.example', 'failed', 'host.unreachable']
  assert.deepEqual(await tasksOf(here, job), [mute, mute])
  assert.match(
    (await here.context.store.tasks.get(job.id, 1))!.message!,
    /accepts connections and sent no response/,
  )
})

test('a host that another job found unreachable is excluded, even if this job never requested it', async () => {
  const here = await openTestContext({})
  await using _ = here
  const job = await here.adopt({ urls: ['https://a.example/'], policy: { outageMs: 1_000 } })
  here.context.hosts.noteRobots('a.example', 'refused', here.clock.now())
  await checkJob(here.context, job)
  assert.deepEqual(await tasksOf(here, job), [['a.example', 'pending', null]])
  here.clock.advance(1_000)
  await checkJob(here.context, job)
  assert.deepEqual(await tasksOf(here, job), [['a.example', 'failed', 'robots.unreachable']])
})
