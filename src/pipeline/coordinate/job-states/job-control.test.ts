// Tests how a job is paused, resumed and cancelled, by a user, a breaker or the storage, and when it resumes by itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestContext, type TestContext } from '../../../../test/support/coordination.ts'
import { shardOf } from '../../../lib/shard-of.ts'
import type { AddedWork } from '../../../model/cluster-messages.ts'
import { Failure } from '../../../model/failures.ts'
import type { RequestKind } from '../../../ports/store.ts'
import { failedReport } from '../../work/task-report.ts'
import { releaseTasks } from '../release-tasks.ts'
import type { RunningJob } from '../running-job.ts'
import { commitReports } from '../settle/commit-reports.ts'
import { HostShard } from '../shards.ts'
import { checkIdleJobs } from './check-idle-job.ts'
import { applyControlRequests } from './control-requests.ts'
import { checkJob, pauseJob } from './job-control.ts'

const spec = {
  urls: ['https://a.example/1', 'https://a.example/2'],
  policy: { robots: 'ignore', host: { rate: 'unlimited' } },
} as const

async function open(settings: Partial<TestContext['context']['settings']> = {}) {
  const here = await openTestContext({ settings })
  const job = await here.adopt({ ...spec, urls: [...spec.urls] })
  const leave = async (kind: RequestKind, jobId = job.id) => {
    await here.context.store.requests.leave({ jobId, kind, at: 0 })
    await applyControlRequests(here.context)
  }
  return { ...here, job, leave }
}

const standing = ({ job: { state, reason, resumeAt } }: RunningJob) => [state, reason, resumeAt]
const released = async (here: TestContext) => (await releaseTasks(here.context, 10)).count

test('a paused job starts no task until it is resumed', async () => {
  await using here = await open()
  await here.leave('pause')
  assert.deepEqual(standing(here.job), ['paused', 'user', null])
  assert.equal(await released(here), 0)
  await here.leave('resume')
  assert.deepEqual(standing(here.job), ['running', null, null])
  assert.equal(await released(here), 2)
})

test('an open breaker pauses the job for its cool-down time, then the job continues', async () => {
  await using here = await open()
  for (let failure = 0; failure < 20; failure++) here.job.breaker.record(false, here.clock.now())
  await checkJob(here.context, here.job)
  assert.deepEqual(standing(here.job), ['paused', 'breaker', here.clock.now() + 300_000])
  here.clock.advance(299_999)
  await checkJob(here.context, here.job)
  assert.equal(here.job.job.state, 'paused')
  here.clock.advance(1)
  await checkJob(here.context, here.job)
  assert.equal(here.job.job.state, 'running')
})

test('a pause by a user replaces a pause by the breaker, and does not end without the user', async () => {
  await using here = await open()
  await pauseJob(here.context, here.job, 'breaker', here.clock.now() + 1_000)
  await here.leave('pause')
  here.clock.advance(10_000)
  await checkJob(here.context, here.job)
  assert.deepEqual(standing(here.job), ['paused', 'user', null])
})

test('too little disk space pauses the job until there is enough', async () => {
  await using here = await open({ minFreeBytes: 100 })
  const free = async (bytes: number) => {
    here.blobs.free = async () => bytes
    await checkJob(here.context, here.job)
    return here.job.job.state
  }
  assert.equal(await free(99), 'paused')
  assert.equal(await free(150), 'paused', 'resuming needs more space, or the job would pause again at once')
  assert.equal(await free(200), 'running')
})

test('if a disk refuses a page although it has space, the page is retried after a growing wait', async () => {
  await using here = await open()
  for (const restMs of [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    here.job.storage.note('storage.failed')
    await checkJob(here.context, here.job)
    assert.deepEqual(standing(here.job), ['paused', 'storage.failed', here.clock.now() + restMs])
    here.clock.advance(restMs)
    await checkJob(here.context, here.job)
    assert.equal(here.job.job.state, 'running')
    await checkJob(here.context, here.job)
    assert.equal(here.job.job.state, 'running', 'the job runs again after the wait')
  }
})

test('cancelling a job ends its pending tasks; the job then starts nothing more and ignores other control requests', async () => {
  await using here = await open()
  await here.leave('cancel')
  assert.deepEqual([here.job.open, here.job.cancelled], [0, true])
  assert.deepEqual(standing(here.job), ['finishing', 'cancelled', null])
  await here.leave('resume')
  await here.leave('retry')
  assert.deepEqual(standing(here.job), ['finishing', 'cancelled', null])
  assert.equal(await released(here), 0)
})

test('while a job writes its output files, requests to resume or retry have no effect; afterwards the job can be resumed', async () => {
  await using here = await open()
  const { store } = here.context
  await store.jobs.move(here.job.id, ['running'], 'finishing')
  here.job.finish.ending = { outcome: 'under way', state: 'completed', written: Promise.resolve() }
  for (const kind of ['resume', 'retry'] as const) {
    await here.leave(kind)
    assert.equal((await store.jobs.get(here.job.id))?.state, 'finishing', kind)
  }
  here.job.finish.ending = null
  await here.leave('resume')
  assert.equal((await store.jobs.get(here.job.id))?.state, 'running')
})

test('the leader of a shard retries the failed tasks of its hosts', async () => {
  await using here = await openTestContext()
  const { context } = here
  const letters = ['b', 'c', 'd', 'e', 'f', 'g']
  const other = letters
    .map(letter => `${letter}.example`)
    .find(host => shardOf(host, 2) !== shardOf('a.example', 2))!
  const job = await here.adopt({ ...spec, urls: ['https://a.example/1', `https://${other}/1`] })
  await releaseTasks(context, 10)
  const poison = new Failure('task.poison', 'five workers died with it')
  await commitReports(
    context,
    (await here.sent()).map(task => failedReport(task, poison, here.clock.now())),
  )
  assert.equal(job.open, 0)
  const told: AddedWork[] = []
  const others = { work: (added: readonly AddedWork[]) => void told.push(...added), ended: () => {} }
  context.shards = new HostShard({ index: shardOf('a.example', 2), count: 2 }, others)

  await context.store.requests.leave({ jobId: job.id, kind: 'retry', at: 0 })
  await applyControlRequests(context)

  assert.deepEqual([job.open, context.dispatcher.hostNamesOf(job.id)], [2, ['a.example']])
  assert.deepEqual(told, [{ jobId: job.id, host: other, count: 1 }])
})

test('a control request for a job that no process runs is handled in the store', async () => {
  await using here = await open()
  here.context.jobs.delete(here.job.id)
  await here.leave('pause')
  assert.equal((await here.context.store.jobs.get(here.job.id))?.reason, 'user')
  await here.leave('cancel')
  assert.equal((await here.context.store.jobs.get(here.job.id))?.state, 'cancelled')
})

test('a control request for a missing job is dropped', async () => {
  await using here = await open()
  await here.leave('pause', 'no-such-job')
  assert.deepEqual(await here.context.store.requests.take(), [])
})

test('if the count of open tasks is wrong, the tasks are counted again, and tasks that were missed run', async () => {
  await using here = await open()
  here.context.dispatcher.close(here.job.id, 0)
  here.context.dispatcher.open({
    id: here.job.id,
    createdAt: 0,
    single: false,
    policy: here.job.job.spec.policy,
    remaining: () => here.job.open,
    allowance: () => 8,
  })
  here.job.tasksAdded(5, 0)
  await checkIdleJobs(here.context)
  assert.equal(here.job.open, 2)
  assert.equal(here.context.dispatcher.workOf(here.job.id), 2)
})

test('tasks that are leased to this process, but unknown to its lanes, return to pending', async () => {
  await using here = await open()
  assert.equal(await released(here), 2)
  for (const entry of [...here.context.inFlight.values()]) here.context.inFlight.remove(entry)
  await checkIdleJobs(here.context)
  assert.equal(here.context.dispatcher.workOf(here.job.id), 2)
})
