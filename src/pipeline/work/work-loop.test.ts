// Tests the work loop: batches go to the lane and are acknowledged when done, and a task whose lane died is retried alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestQueue, settled } from '../../../test/support/coordination.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import { failedReport } from './task-report.ts'
import { WorkLoop } from './work-loop.ts'

const task = (n: number): TimedTask => ({
  jobId: 'job',
  n,
  attempt: 1,
  charged: 0,
  kind: 'page',
  url: `https://shop.example/${n}`,
  host: 'shop.example',
  depth: 0,
  priority: 0,
  input: null,
  itemId: null,
  way: 'http',
  wayWhy: null,
  startAt: 0,
  gapMs: 0,
})
const done = (...numbers: number[]): TaskReport[] =>
  numbers.map(n => ({ ...failedReport(task(n), null, 0), failure: null }))

/** Opens a loop with a fake lane that only records its tasks. */
function openLoop() {
  const queue = openTestQueue()
  const given: number[][] = []
  const loop = new WorkLoop(queue, { run: ({ tasks }) => void given.push(tasks.map(({ n }) => n)) })
  const stop = new AbortController()
  const running = loop.run(stop.signal)
  return {
    loop,
    queue,
    given,
    send: async (...numbers: number[]) => {
      await queue.send([{ tasks: numbers.map(task) }])
      await settled()
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

test('a batch goes to the lane as a whole, and is acknowledged after its last task is reported', async () => {
  await using here = openLoop()
  await here.send(1, 2)
  assert.deepEqual(here.given, [[1, 2]])
  await here.loop.reported(done(1))
  assert.deepEqual(await here.queue.depth(), { waiting: 0, held: 1 })
  await here.loop.reported(done(2))
  assert.deepEqual(await here.queue.depth(), { waiting: 0, held: 0 })
})

test('when a lane dies, each of its tasks is reported as lost once', async () => {
  await using here = openLoop()
  await here.send(1, 2, 3)
  await here.loop.reported(done(2))
  const lost = here.loop.abandon(new Error('out of memory'))
  assert.deepEqual(
    lost.map(({ n, failure }) => [n, failure?.code]),
    [
      [1, 'worker.crashed'],
      [3, 'worker.crashed'],
    ],
  )
  assert.match(lost[0]!.failure!.message, /out of memory/)
  assert.deepEqual(here.loop.abandon(new Error('again')), [])
  assert.deepEqual(await here.queue.depth(), { waiting: 0, held: 0 })
})

test('if a lane dies, its task runs alone the next time, and the other tasks wait for it', async () => {
  await using here = openLoop()
  await here.send(1, 2)
  here.loop.abandon(new Error('bang'))
  await here.send(3, 1, 2, 4)
  assert.deepEqual(here.given.slice(1), [[3]], 'a suspect waits until the lane is empty')
  await here.loop.reported(done(3))
  assert.deepEqual(here.given.slice(2), [[1]])
  await here.loop.reported(done(1))
  assert.deepEqual(here.given.slice(3), [[2]])
  await here.loop.reported(done(2))
  assert.deepEqual(here.given.slice(4), [[4]])
})

test('a task whose lane died once runs together with other tasks again after a success', async () => {
  await using here = openLoop()
  await here.send(1)
  here.loop.abandon(new Error('bang'))
  await here.send(1)
  await here.loop.reported(done(1))
  await here.send(5, 1, 6)
  assert.deepEqual(here.given.at(-1), [5, 1, 6])
})

test('a task that kills its lane every time makes no other task fail', async () => {
  await using here = openLoop()
  await here.send(1, 2)
  here.loop.abandon(new Error('bang'))
  await here.send(1, 2)
  assert.deepEqual(
    here.loop.abandon(new Error('bang')).map(({ n, failure }) => [n, failure?.code]),
    [[1, 'page.too-costly']],
  )
  assert.deepEqual(here.given.at(-1), [2])
})

test('a task that the lane returns is no longer a task of the loop', async () => {
  await using here = openLoop()
  await here.send(1, 2)
  assert.equal(here.loop.size, 2)
  await here.loop.returned([task(2)])
  assert.equal(here.loop.size, 1)
  assert.deepEqual(
    here.loop.abandon(new Error('bang')).map(({ n }) => n),
    [1],
  )
  assert.deepEqual(await here.queue.depth(), { waiting: 0, held: 0 })
})
