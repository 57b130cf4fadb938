// Tests the loop of a worker: when messages are acknowledged, and what happens to messages of dead workers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTaskQueue, someLeasedTask } from '../../../test/support/leased-task.ts'
import { FakeClock } from '../../lib/clocks.ts'
import { Failure } from '../../model/failures.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import { FetchLoop, type FetchLoopParts, heartbeatEveryMs } from './fetch-loop.ts'
import { failedReport } from './task-report.ts'

const leaseMs = 60_000

function openLoop(own: Partial<FetchLoopParts> = {}) {
  const clock = new FakeClock()
  const queue = openTaskQueue(clock, leaseMs)
  const ran: TimedTask[] = []
  const handed: TaskReport[] = []
  const loop = new FetchLoop({
    ...{ queue, clock, leaseMs, mostHeld: 100 },
    run: tasks => void ran.push(...tasks),
    handOn: async (_, reported) => void handed.push(...reported.map(({ report }) => report)),
    ...own,
  })
  return { clock, queue, loop, ran, handed }
}

const task = (n: number): TimedTask => ({ ...someLeasedTask(n), startAt: 0, gapMs: 0 })
const done = (one: TimedTask): TaskReport => ({ ...failedReport(one, null, 0), failure: null })
const settled = () => new Promise(resolve => setImmediate(resolve))

test('a message is acknowledged when all of its tasks have been reported', async () => {
  const { queue, loop, ran, handed } = openLoop()
  const stop = new AbortController()
  await queue.send([{ owner: 'cluster', tasks: [task(1), task(2)] }])
  const running = loop.run(stop.signal)
  await settled()
  loop.reported([done(ran[0]!)])
  await settled()
  assert.equal((await queue.depth()).held, 1)
  loop.reported([done(ran[1]!)])
  await settled()
  assert.deepEqual(await queue.depth(), { waiting: 0, held: 0 })
  assert.equal(handed.length, 2)
  stop.abort()
  await running
})

test('tasks of a dead worker are delivered again, each alone', async () => {
  const { clock, queue, loop, ran } = openLoop()
  const stop = new AbortController()
  await queue.send([{ owner: 'cluster', tasks: [task(1), task(2)] }])
  await queue.receive(1, 0, stop.signal)
  clock.advance(leaseMs)
  const running = loop.run(stop.signal)
  await settled()
  assert.deepEqual(
    ran.map(({ n }) => n),
    [1],
    'the second task waits until the first is done',
  )
  loop.reported([done(ran[0]!)])
  await settled()
  assert.deepEqual(
    ran.map(({ n }) => n),
    [1, 2],
  )
  loop.reported([done(ran[1]!)])
  stop.abort()
  await running
})

test('if a worker dies, its tasks of rate-limited hosts request new slots, because their old slots have passed', async () => {
  const { clock, queue, loop, ran } = openLoop()
  const stop = new AbortController()
  await queue.send([{ owner: 'cluster', tasks: [{ ...task(1), gapMs: 250 }] }])
  await queue.receive(1, 0, stop.signal)
  clock.advance(leaseMs)
  const running = loop.run(stop.signal)
  await settled()
  assert.deepEqual(
    ran.map(({ n, isAgain }) => [n, isAgain]),
    [[1, true]],
  )
  loop.reported([done(ran[0]!)])
  stop.abort()
  await running
})

test('a task requests a new slot if its previous worker was lost and may still run it', async () => {
  const { queue, loop, ran } = openLoop()
  const stop = new AbortController()
  const receive = queue.receive.bind(queue)
  queue.receive = async (...request) => (await receive(...request)).map(one => ({ ...one, isAgain: true }))
  await queue.send([{ owner: 'cluster', tasks: [{ ...task(1), gapMs: 250 }, task(2)] }])
  const running = loop.run(stop.signal)
  await settled()
  assert.deepEqual(
    ran.map(({ n, isAgain = false }) => [n, isAgain]),
    [
      [1, true],
      [2, false],
    ],
  )
  loop.reported(ran.map(one => done(one)))
  stop.abort()
  await running
})

test('a task that killed five workers fails as task.poison', async () => {
  const { queue, loop, ran, handed } = openLoop()
  const stop = new AbortController()
  await queue.send([{ owner: 'cluster', tasks: [task(1)], lost: 5 }])
  const running = loop.run(stop.signal)
  await settled()
  assert.deepEqual(ran, [])
  assert.equal(handed[0]?.failure?.code, 'task.poison')
  stop.abort()
  await running
})

test('a worker takes no more messages than it can run', async () => {
  const { queue, loop, ran } = openLoop({ mostHeld: 1 })
  const stop = new AbortController()
  await queue.send([{ tasks: [task(1)] }, { tasks: [task(2)] }])
  const running = loop.run(stop.signal)
  await settled()
  assert.equal(ran.length, 1)
  loop.reported([done(ran[0]!)])
  await settled()
  assert.equal(ran.length, 2)
  loop.reported([done(ran[1]!)])
  stop.abort()
  await running
})

test('a worker that was suspended for longer than its lease starts no further task, and does not claim its messages again', async () => {
  const { clock, queue, loop, ran } = openLoop()
  const stop = new AbortController()
  await queue.send([{ owner: 'cluster', tasks: [task(1)] }])
  const running = loop.run(stop.signal)
  await settled()
  assert.equal(loop.mayBegin(ran[0]!), true)
  clock.advance(leaseMs + 1)
  assert.equal(loop.mayBegin(ran[0]!), false)
  loop.reported([done(ran[0]!)])
  stop.abort()
  await running
})

test('if a message arrives again while its tasks are in flight, it is acknowledged but does not run again', async () => {
  const { queue, loop, ran } = openLoop()
  const stop = new AbortController()
  await queue.send([{ owner: 'cluster', tasks: [task(1)] }])
  await queue.send([{ owner: 'cluster', tasks: [task(1)] }])
  const running = loop.run(stop.signal)
  await settled()
  await settled()
  assert.equal(ran.length, 1)
  loop.reported([done(ran[0]!)])
  await settled()
  assert.deepEqual(await queue.depth(), { waiting: 0, held: 0 })
  stop.abort()
  await running
})

test('a redelivered message that waits until no other task runs keeps its lease', async context => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const { clock, queue, loop, ran } = openLoop()
  const stop = new AbortController()
  const running = loop.run(stop.signal)
  await queue.send([{ owner: 'cluster', tasks: [task(1)] }])
  await settled()
  await queue.send([{ owner: 'cluster', tasks: [task(2)], lost: 1 }])
  await settled()
  for (let passedMs = 0; passedMs <= leaseMs; passedMs += heartbeatEveryMs(leaseMs)) {
    clock.advance(heartbeatEveryMs(leaseMs))
    context.mock.timers.tick(heartbeatEveryMs(leaseMs))
    await settled()
  }
  assert.deepEqual([await queue.depth(), ran.length], [{ waiting: 0, held: 2 }, 1])
  loop.reported([done(ran[0]!)])
  await settled()
  assert.equal(loop.mayBegin(ran[1]!), true)
  loop.reported([done(ran[1]!)])
  stop.abort()
  await running
})

test('a worker that stops reports what it can, and does not wait for services that are down', async () => {
  let tries = 0
  const { queue, loop, ran } = openLoop({
    handOn: () => {
      tries += 1
      return Promise.reject(new Failure('queue.unavailable', 'Redis is down'))
    },
  })
  const stop = new AbortController()
  await queue.send([{ owner: 'cluster', tasks: [task(1), task(2)] }])
  const running = loop.run(stop.signal)
  await settled()
  loop.reported([done(ran[0]!)])
  await settled()
  stop.abort()
  assert.equal(loop.held, 2, 'the report is tried again until the deadline')
  loop.hurry()
  loop.reported([done(ran[1]!)])
  await running
  assert.deepEqual([loop.held, tries], [0, 3])
})

test('if a report cannot be sent for a minute, it is dropped, however long each try takes', async context => {
  context.mock.method(process, 'emitWarning', () => {})
  let tries = 0
  const { queue, loop, ran, clock } = openLoop({
    handOn: async () => {
      tries += 1
      clock.advance(5_000)
      throw new Failure('queue.unavailable', 'Redis does not respond')
    },
  })
  const stop = new AbortController()
  await queue.send([{ owner: 'cluster', tasks: [task(1)] }])
  const running = loop.run(stop.signal)
  await settled()
  loop.reported([done(ran[0]!)])
  for (let rests = 0; rests < 20; rests += 1) {
    await settled()
    clock.advance(500)
  }
  stop.abort()
  loop.hurry()
  await running
  assert.equal(tries, 11)
})
