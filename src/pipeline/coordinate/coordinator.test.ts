// Tests that the coordinator adopts a job completely, or not at all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestContext, type TestContext } from '../../../test/support/coordination.ts'
import { Failure } from '../../model/failures.ts'
import { type Job, jobSpec } from '../../model/job.ts'
import { segmentName, segmentsPrefix } from '../../results/keys.ts'
import { submitJob } from '../submit/submit-job.ts'
import { Coordinator } from './coordinator.ts'
import { OutputFollower } from './outputs/follow-outputs.ts'

const laneOf = ({ id, kind, workspace, spec }: Job) => ({
  ...{ id, kind, workspace, spec, userAgent: 'kscrape/1', cookies: null, slots: 8 },
})

function openCoordinator(here: TestContext): Coordinator {
  // Creates a coordinator of a cluster, in which tasks may already be in flight.
  here.useRemoteWorkers()
  return coordinatorOf(here)
}

function coordinatorOf({ context }: TestContext): Coordinator {
  return new Coordinator(context, new OutputFollower({ ...context, stdout: process.stdout, isShared: false }))
}

test('if the store fails while a job is adopted, the adoption is undone, and the next attempt adopts the job', async () => {
  await using here = await openTestContext()
  const { store, hosts, clock } = here.context
  const job = await submitJob(
    here.context,
    jobSpec.parse({ urls: ['https://a.example/1', 'https://a.example/2'] }),
  )
  const lease = { owner: 'test', untilMs: clock.now() + 60_000, state: 'in_progress' } as const
  await store.tasks.claim([{ jobId: job.id, host: 'a.example', limit: 1 }], lease)
  const coordinator = openCoordinator(here)
  const { context } = coordinator
  const standing = () => [
    ...[context.jobs.size, context.inFlight.size, context.dispatcher.workOf(job.id)],
    hosts.view('a.example', clock.now())?.inFlight ?? 0,
  ]
  const { move } = store.jobs
  store.jobs.move = () => Promise.reject(new Failure('store.busy', 'PostgreSQL is down'))

  await assert.rejects(coordinator.adopt(job, laneOf(job)), { code: 'store.busy' })
  assert.deepEqual(standing(), [0, 0, 0, 0])

  store.jobs.move = move
  await coordinator.adopt(job, laneOf(job))
  assert.deepEqual(standing(), [1, 1, 1, 1])
})

test('the next leader deletes orphaned pages, even if no task of the job is in flight', async () => {
  await using here = await openTestContext()
  const { store, clock } = here.context
  const job = await submitJob(here.context, jobSpec.parse({ urls: ['https://a.example/1'] }))
  await store.tasks.endPending(job.id, 'cancelled', 'job.cancelled')
  await store.jobs.move(job.id, ['pending'], 'running', { at: clock.now() })
  await store.jobs.move(job.id, ['running'], 'finishing', { at: clock.now() })
  await here.blobs.append(segmentName(job.id, 'given-up'), Buffer.from('a page'))
  const coordinator = openCoordinator(here)

  await coordinator.adopt((await store.jobs.get(job.id))!, laneOf(job))
  await coordinator.run({})
  assert.equal((await store.jobs.get(job.id))?.state, 'completed')
  assert.deepEqual(await Array.fromAsync(here.blobs.list(segmentsPrefix(job.id))), [])
})

/** Returns how often the coordinator extended leases during two sweeps. */
async function leasesExtended(here: TestContext, coordinator: Coordinator): Promise<number> {
  const { clock } = here
  const { store } = here.context
  let times = 0
  store.tasks.extend = async () => void times++
  const { wake } = store.tasks
  let sweeps = 0
  store.tasks.wake = (...given) => {
    clock.advance(60_000)
    if (++sweeps === 2) here.stop.abort()
    return wake(...given)
  }
  await coordinator.run({ forever: true })
  return times
}

test('the coordinator extends the leases of local tasks; remote workers extend the leases of their tasks by heartbeats', async () => {
  await using here = await openTestContext()
  assert.equal(await leasesExtended(here, coordinatorOf(here)), 2)
  await using elsewhere = await openTestContext()
  assert.equal(await leasesExtended(elsewhere, openCoordinator(elsewhere)), 0)
})

for (const isCluster of [true, false])
  test(`a coordinator that stops ${isCluster ? 'in a cluster' : 'alone'} waits for manifests that are being written`, async () => {
    await using here = await openTestContext()
    const { context, blobs } = here
    const job = await submitJob(context, jobSpec.parse({ urls: ['https://a.example/1'] }))
    await context.store.tasks.endPending(job.id, 'cancelled', 'job.cancelled')
    const coordinator = isCluster ? openCoordinator(here) : coordinatorOf(here)
    await coordinator.adopt((await context.store.jobs.get(job.id))!, laneOf(job))
    const put = blobs.put.bind(blobs)
    const writing = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const written: string[] = []
    blobs.put = async (key, bytes) => {
      writing.resolve()
      await release.promise
      await put(key, bytes)
      written.push(key)
    }
    const stopped = coordinator.run({}).then(() => 'stopped')
    await writing.promise
    here.stop.abort()
    const early = await Promise.race([stopped, new Promise(resolve => setTimeout(resolve, 100, 'waiting'))])
    release.resolve()
    await stopped
    const writtenAtStop = written.length
    await new Promise(resolve => setTimeout(resolve, 50))
    assert.equal(early, 'waiting')
    assert.equal(written.length, writtenAtStop)
    assert.ok(writtenAtStop > 0)
  })

test('work that was queued before a stop runs before the coordinator stops', async () => {
  await using here = await openTestContext()
  const coordinator = coordinatorOf(here)
  const queued = coordinator.inTurn(async () => 'adopted')
  here.stop.abort()
  await coordinator.run({ forever: true })
  assert.equal(await queued, 'adopted')
  await assert.rejects(
    coordinator.inTurn(async () => 'late'),
    { code: 'worker.stopping' },
  )
})

test('while tasks are refused without a request, other work of the process runs between the commits', async () => {
  await using here = await openTestContext({ settings: { concurrency: 10 } })
  here.robots.set('https://a.example', 'User-agent: *\nDisallow: /')
  const urls = Array.from({ length: 200 }, (_, index) => `https://a.example/${index}`)
  const policy = { host: { rate: 'unlimited' as const, concurrency: 10 } }
  const job = await submitJob(here.context, jobSpec.parse({ urls, policy }))
  const coordinator = coordinatorOf(here)
  await coordinator.adopt(job, laneOf(job))
  let hasEnded = false
  const ended = coordinator.run({}).finally(() => {
    hasEnded = true
  })
  const settled = () => here.emitted.filter(({ name }) => name === 'task.settled').length
  const seen = [0]
  while (!hasEnded) {
    await new Promise(resolve => setImmediate(resolve))
    seen.push(settled())
  }
  await ended
  assert.equal(settled(), urls.length)
  const atOnce = seen.slice(1).map((count, index) => count - seen[index]!)
  assert.ok(Math.max(...atOnce) <= 20, String(atOnce))
})
