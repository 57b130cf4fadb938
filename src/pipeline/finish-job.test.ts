// The end of a job, as far as pages are concerned that nobody speaks of.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../test/support/cluster.ts'
import { openTestDesk } from '../../test/support/desk.ts'
import { segmentName } from '../results/keys.ts'
import type { Desk } from './desk.ts'
import { finishJob } from './finish-job.ts'
import { obeyRequest } from './obey-requests.ts'

test('pages that a worker kept after it was given up, and never told of, are taken away: at the end, and again a while after it', async () => {
  await using here = await openTestDesk()
  const { desk, clock, blobs } = here
  desk.handOver = {} as NonNullable<Desk['handOver']>
  const running = await here.adopt({ urls: ['https://a.example/1'] })
  await desk.store.tasks.endPending(running.id, 'cancelled', 'job.cancelled')
  Object.assign(running, { open: 0, mayHaveStrays: true })
  const keep = (worker: string) => blobs.append(segmentName(running.id, worker), Buffer.from('a page'))
  const kept = () => Array.fromAsync(blobs.list('jobs/'))

  await keep('given-up')
  assert.equal(await finishJob(desk, running, { finish: async () => {} } as never), true)
  assert.deepEqual(await kept(), [])

  await keep('late')
  assert.equal((await kept()).length, 1)
  clock.advance(2 * desk.settings.leaseMs)
  await until('the late page to be gone', async () => (await kept()).length === 0)
})

test('a job whose manifests are written beside the turns ends in one, and is not resumed in between', async () => {
  await using here = await openTestDesk()
  const { desk } = here
  const running = await here.adopt({ urls: ['https://a.example/1'], results: { layout: 'items' } })
  await desk.store.tasks.endPending(running.id, 'cancelled', 'job.cancelled')
  running.open = 0
  const stateNow = async () => (await desk.store.jobs.get(running.id))?.state
  const finish = () => finishJob(desk, running, { finish: async () => {} } as never)

  assert.equal(await finish(), false)
  await obeyRequest(desk, running.id, 'resume')
  await until('them to be written', async () => running.ending?.outcome === 'done')
  assert.equal(await stateNow(), 'finishing')
  assert.equal(await finish(), true)
  assert.equal(await stateNow(), 'completed')
})
