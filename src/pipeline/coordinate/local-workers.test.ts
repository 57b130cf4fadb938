// Tests how tasks are divided among the lanes of a process.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestContext, openTestQueue } from '../../../test/support/coordination.ts'
import type { TimedTask } from '../../model/lane.ts'
import { LocalWorkers } from './local-workers.ts'

const task = (n: number, host: string, gapMs: number): TimedTask => ({
  ...{ jobId: 'job', n, attempt: 1, charged: 0, kind: 'page', depth: 0, priority: 0 },
  ...{ url: `https://${host}/${n}`, host, input: null, itemId: null, way: 'http', wayWhy: null },
  ...{ startAt: 0, gapMs },
})

/** Workers with at most two lanes. The test sets how many run, and how many tasks they have. */
async function openWorkers() {
  const queues = [openTestQueue(), openTestQueue()]
  const lanes = { now: 1, tasks: [0, 0] }
  const workers = new LocalWorkers({
    queues,
    browserQueue: openTestQueue(),
    lanes: { count: () => lanes.now, tasksOf: lane => lanes.tasks[lane]! },
    ingest: async () => {},
  })
  const here = await openTestContext()
  return {
    lanes,
    /** Sends tasks and returns the numbers that each lane got. */
    async send(tasks: TimedTask[]): Promise<number[][]> {
      for (const one of tasks) {
        if (one.gapMs > 0) here.context.hosts.occupy(one.host)
        here.context.inFlight.add({ task: one, slot: true })
      }
      await workers.send(here.context, tasks)
      const received = queues.map(queue => queue.receive(100, 0, new AbortController().signal))
      const bodies = (await Promise.all(received)).map(all => all.flatMap(({ body }) => body.tasks))
      return bodies.map(got => got.map(({ n }) => n))
    },
    /** Reports that the requests of a task have ended. */
    end(one: TimedTask): void {
      here.context.hosts.finished(one.host, { startedAt: 0, endedAt: 0 }, 0)
      here.context.inFlight.remove(here.context.inFlight.get(one)!)
    },
    [Symbol.asyncDispose]: () => here[Symbol.asyncDispose](),
  }
}

test('tasks without a rate go to the lane that has the fewest tasks', async () => {
  await using here = await openWorkers()
  here.lanes.now = 2
  here.lanes.tasks = [3, 1]
  const tasks = [1, 2, 3, 4].map(n => task(n, 'shop.example', 0))
  assert.deepEqual(await here.send(tasks), [[3], [1, 2, 4]])
})

test('a host with a rate gets another lane only when its requests in flight have ended', async () => {
  await using here = await openWorkers()
  // With two lanes, this host belongs to the second one.
  const host = 'shop2.example'
  const [first, second, third] = [1, 2, 3].map(n => task(n, host, 100))
  assert.deepEqual(await here.send([first!]), [[1], []])
  here.lanes.now = 2
  assert.deepEqual(await here.send([second!]), [[2], []])
  here.end(first!)
  here.end(second!)
  assert.deepEqual(await here.send([third!]), [[], [3]])
})
