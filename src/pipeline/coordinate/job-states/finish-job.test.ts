// Tests what happens at the end of a job, and how its orphaned pages are deleted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTask } from '../../../../test/contracts/store/fixtures.ts'
import { until } from '../../../../test/support/cluster.ts'
import { openTestContext } from '../../../../test/support/coordination.ts'
import { Failure } from '../../../model/failures.ts'
import { queueSource } from '../../../model/job.ts'
import { jobMetadataKey, segmentName, segmentsPrefix } from '../../../results/keys.ts'
import type { CoordinatorContext } from '../context.ts'
import type { RunningJob } from '../running-job.ts'
import { controlIdleJob } from './control-idle-job.ts'
import { applyControlRequest } from './control-requests.ts'
import { finishJob } from './finish-job.ts'

test('pages that an excluded worker stored but never reported are deleted when the job ends, and again later', async () => {
  await using here = await openTestContext()
  const { context, clock, blobs } = here
  here.useRemoteWorkers()
  const running = await here.adopt({ urls: ['https://a.example/1'] })
  await context.store.tasks.endPending(running.id, 'cancelled', 'job.cancelled')
  running.tasksEnded(running.open)
  running.suspectOrphans()
  const keep = (worker: string) => blobs.append(segmentName(running.id, worker), Buffer.from('a page'))
  const kept = () => Array.fromAsync(blobs.list(segmentsPrefix(running.id)))

  await keep('given-up')
  await until('the job to end', () => finish(context, running))
  assert.deepEqual(await kept(), [])

  await keep('late')
  assert.equal((await kept()).length, 1)
  clock.advance(2 * context.settings.leaseMs)
  await until('the late page to be deleted', async () => (await kept()).length === 0)
})

test('a job whose manifests are written in the background is not adopted again meanwhile; afterwards one sweep ends the job', async () => {
  await using here = await openTestContext()
  const { context } = here
  const running = await here.adopt({ urls: ['https://a.example/1'] })
  await context.store.tasks.endPending(running.id, 'cancelled', 'job.cancelled')
  running.tasksEnded(running.open)

  assert.equal(await finish(context, running), false)
  await applyControlRequest(context, running.id, 'resume')
  await until('the manifests to be written', async () => running.finish.ending?.outcome === 'done')
  assert.equal(await stateOf(context, running.id), 'finishing')
  assert.equal(await finish(context, running), true)
  assert.equal(await stateOf(context, running.id), 'completed')
})

test('every job, also one with a single task, has its manifests before its state says that it ended', async () => {
  await using here = await openTestContext()
  const { context, blobs } = here
  const running = await here.adopt({ urls: ['https://a.example/1'] })
  await context.store.tasks.endPending(running.id, 'cancelled', 'job.cancelled')
  running.tasksEnded(running.open)
  const put = blobs.put.bind(blobs)
  const statesAtWrite: unknown[] = []
  blobs.put = async (key, bytes) => {
    statesAtWrite.push(await stateOf(context, running.id))
    return put(key, bytes)
  }
  await until('the job to end', () => finish(context, running))

  const { state, items, parts } = JSON.parse((await blobs.get(jobMetadataKey(running.id)))!.toString())
  assert.deepEqual([state, items.total, parts.full], ['completed', 1, 1])
  assert.deepEqual(new Set(statesAtWrite), new Set(['finishing']))
})

test('a job whose manifests cannot be stored stays unfinished, and ends once storage accepts them', async () => {
  await using here = await openTestContext()
  const { context, blobs, clock } = here
  const running = await here.adopt({ urls: ['https://a.example/1'] })
  await context.store.tasks.endPending(running.id, 'cancelled', 'job.cancelled')
  running.tasksEnded(running.open)
  const put = blobs.put.bind(blobs)
  blobs.put = async () => {
    throw new Failure('storage.failed', 'the bucket responds with 503')
  }
  await until('a first try', async () => !(await finish(context, running)) && running.finish.trouble !== null)
  assert.equal(await stateOf(context, running.id), 'finishing')

  blobs.put = put
  clock.advance(context.settings.sweepMs)
  await until('the job to end', () => finish(context, running))
  assert.equal(await stateOf(context, running.id), 'completed')
})

test('a job of a message queue runs on if a message adds a task while the job is about to end', async () => {
  await using here = await openTestContext()
  const { context } = here
  const { store, dispatcher } = context
  const running = await here.adopt({ scraperId: 'example-http' }, { source: `${queueSource}orders` })
  running.sourceEnded({ ...running.job.ingest, done: true })

  const move = store.jobs.move.bind(store.jobs)
  store.jobs.move = async (jobId, from, to, change) => {
    store.jobs.move = move
    await store.tasks.add(jobId, [newTask(2)])
    return move(jobId, from, to, change)
  }
  assert.equal(await finish(context, running), false)
  assert.equal(await stateOf(context, running.id), 'running')
  assert.equal(running.open, 1)
  assert.equal(dispatcher.workOf(running.id), 1)
})

test('an idle job gets its manifests when it is cancelled; a large idle job gets them in the background', async () => {
  await using here = await openTestContext()
  const { context, blobs, clock } = here
  const urls = Array.from({ length: 1_001 }, (_, index) => `https://a.example/${index}`)
  const [small, large] = [await here.adopt({ urls: urls.slice(0, 2) }), await here.adopt({ urls })]
  const handed: string[] = []
  const finish = async (jobId: string) => void handed.push(jobId)
  for (const { id } of [small, large]) await controlIdleJob(context, id, 'cancel', clock.now(), { finish })

  assert.equal(await stateOf(context, small.id), 'cancelled')
  assert.equal(JSON.parse((await blobs.get(jobMetadataKey(small.id)))!.toString()).state, 'cancelled')
  assert.equal(await stateOf(context, large.id), 'finishing')
  assert.deepEqual(handed, [large.id])
})

const finish = (context: CoordinatorContext, running: RunningJob): Promise<boolean> =>
  finishJob(context, running, { finish: async () => {}, finishRaw: async () => {} } as never)

const stateOf = async (context: CoordinatorContext, jobId: string) =>
  (await context.store.jobs.get(jobId))?.state
