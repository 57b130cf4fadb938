// Tests jobs whose tasks come from a message queue: when their intake ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTask } from '../../../../test/contracts/store/fixtures.ts'
import { openTestContext } from '../../../../test/support/coordination.ts'
import { queueSource } from '../../../model/job.ts'
import { checkFedJob } from './fed-jobs.ts'

const spec = { scraperId: 'example-http' }
const fed = { source: `${queueSource}orders` }

test('a job whose tasks were counted twice ends when its queue is idle', async () => {
  await using here = await openTestContext({ settings: { queueIdleMs: 1_000 } })
  const { context, clock } = here
  const running = await here.adopt(spec, fed)
  // One task was counted twice: at the adoption, and again when its notification arrived. In the store, no task is open.
  running.tasksAdded(1, clock.now())
  await checkFedJob(context, running)
  assert.equal(running.ingesting, true)
  clock.advance(1_000)
  await checkFedJob(context, running)
  assert.deepEqual([running.ingesting, running.open], [false, 0])
})

test('an idle job runs the tasks whose notification was lost, and its intake does not end', async () => {
  await using here = await openTestContext({ settings: { queueIdleMs: 1_000 } })
  const { context, clock } = here
  const running = await here.adopt(spec, fed)
  await context.store.tasks.add(running.id, [newTask(1)])
  clock.advance(1_000)
  await checkFedJob(context, running)
  assert.deepEqual([running.ingesting, running.open], [true, 1])
  assert.equal(context.dispatcher.workOf(running.id), 1)
})
