// Tests tasks whose caller waits: if a task cannot finish in time, it fails at once, with the reason.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestContext, type TestContext } from '../../../../test/support/coordination.ts'
import { Failure, type FailureCode } from '../../../model/failures.ts'
import type { JobSpecInput } from '../../../model/job.ts'
import { failedReport } from '../../work/task-report.ts'
import { releaseTasks } from '../release-tasks.ts'
import { commitReports } from '../settle/commit-reports.ts'
import { checkJob } from './job-control.ts'

const second = 1_000
const host = 'shop.example'

async function open(policy: JobSpecInput['policy'] = {}) {
  const here = await openTestContext({})
  const job = await here.adopt({
    urls: [`https://${host}/`],
    policy: { robots: 'ignore', answerWithinMs: 30 * second, ...policy },
  })
  return { ...here, job }
}

const taskOf = async ({ context, job }: TestContext & Awaited<ReturnType<typeof open>>) => {
  const task = await context.store.tasks.get(job.id, 1)
  return [task?.state, task?.reason, task?.notBefore]
}

async function fail(here: TestContext, code: FailureCode, details = {}): Promise<void> {
  await releaseTasks(here.context, 1)
  const [held] = [...here.context.inFlight.values()]
  const report = failedReport(
    { ...held!.task, startAt: 0, gapMs: 0 },
    new Failure(code, 'as the test says', details),
    here.clock.now(),
  )
  await commitReports(here.context, [report])
}

test('if a breaker stays open for longer than the caller waits, the task fails at once, with the time of the next try', async () => {
  await using here = await open()
  const now = here.clock.now()
  for (let n = 0; n < 5; n++)
    here.context.hosts.extraEnded(
      host,
      { startedAt: now, endedAt: now, failure: 'http.server-error', page: String(n) },
      now,
    )
  await checkJob(here.context, here.job)
  assert.deepEqual(await taskOf(here), ['failed', 'host.not-now', now + 120 * second])
  assert.equal(here.job.open, 0)
})

test('if a host asked to wait for an hour, the task fails at once as throttled', async () => {
  await using here = await open()
  const now = here.clock.now()
  here.context.hosts.extraEnded(
    host,
    { startedAt: now, endedAt: now, failure: 'host.throttled', retryAfterMs: 3_600 * second },
    now,
  )
  await checkJob(here.context, here.job)
  assert.deepEqual(await taskOf(here), ['failed', 'host.throttled', now + 600 * second])
})

test('a page whose next attempt would be too late fails with the error of its last attempt', async () => {
  await using here = await open()
  const now = here.clock.now()
  await fail(here, 'host.unavailable', { retryAfterMs: 60 * second })
  await checkJob(here.context, here.job)
  assert.deepEqual(await taskOf(here), ['failed', 'host.unavailable', now + 60 * second])
})

test('a task whose wait ends before the deadline keeps waiting, and retries stop at the deadline', async () => {
  await using here = await open()
  await fail(here, 'connect.refused')
  await checkJob(here.context, here.job)
  assert.equal((await taskOf(here))[0], 'pending', 'a second later it is tried again')
  here.clock.advance(30 * second)
  await checkJob(here.context, here.job)
  assert.deepEqual((await taskOf(here)).slice(0, 2), ['failed', 'connect.refused'])
})

test('outside the allowed hours the task fails with that reason, not with a timeout', async () => {
  const hour = new Date(Date.UTC(2026, 0, 1)).getUTCHours()
  const at = (h: number) => `${String((h + 24) % 24).padStart(2, '0')}:00`
  await using here = await open({ hours: { from: at(hour + 5), to: at(hour + 6) } })
  await checkJob(here.context, here.job)
  const [state, reason] = await taskOf(here)
  assert.deepEqual([state, reason], ['failed', 'host.closed'])
})

test('the task of a job without a waiting caller stays pending until Retry-After has passed', async () => {
  await using here = await open({ answerWithinMs: 0 })
  await fail(here, 'host.unavailable', { retryAfterMs: 60 * second })
  here.clock.advance(59 * second)
  await checkJob(here.context, here.job)
  assert.equal((await taskOf(here))[0], 'pending')
})

test('a refused connection is retried for five seconds; on the command line, for as long as --wait says', async () => {
  for (const face of ['scrape', 'cli'] as const) {
    await using here = await open()
    here.job.job.face = face
    await fail(here, 'connect.refused')
    await checkJob(here.context, here.job)
    assert.equal((await taskOf(here))[0], 'pending')
    here.clock.advance(5 * second)
    await checkJob(here.context, here.job)
    const [state, reason] = await taskOf(here)
    assert.deepEqual([state, reason], [face === 'cli' ? 'pending' : 'failed', 'connect.refused'])
  }
})
