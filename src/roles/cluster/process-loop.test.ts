// Tests the loop of a processor: which pages are committed together, when messages are acknowledged, and what happens to
// messages of dead processors.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { someLeasedTask } from '../../../test/support/leased-task.ts'
import { openMemoryQueue } from '../../adapters/memory/queue.ts'
import { FakeClock } from '../../lib/clocks.ts'
import type { ProcessMessage } from '../../model/cluster-messages.ts'
import { Failure } from '../../model/failures.ts'
import { ProcessLoop } from './process-loop.ts'

const leaseMs = 60_000

const message = (...numbers: number[]): ProcessMessage => ({
  owner: 'cluster',
  entries: numbers.map(n => ({ task: { ...someLeasedTask(n), startAt: 0, gapMs: 0 }, report: {} as never })),
})
const numbersIn = ({ entries }: ProcessMessage) => entries.map(({ task }) => task.n)
const turns = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve))
}

function openLoop() {
  const clock = new FakeClock()
  const queue = openMemoryQueue<ProcessMessage>({ clock, leaseMs })
  const read: number[][] = []
  const settled: number[][] = []
  /** The commits that the test has not let through yet. */
  const commits: Array<PromiseWithResolvers<void>> = []
  const loop = new ProcessLoop<null>({
    ...{ queue, clock, leaseMs },
    bring: async () => null,
    read: async body => {
      read.push(numbersIn(body))
      return body.entries.map(({ task }) => ({ task, report: {} as never, job: {} as never }))
    },
    settle: async (_, reported) => {
      settled.push(reported.map(({ task }) => task.n))
      const commit = Promise.withResolvers<void>()
      commits.push(commit)
      await commit.promise
    },
  })
  return { clock, queue, loop, read, settled, commits }
}

test('pages that are parsed during a commit join the next commit, and are acknowledged after it', async () => {
  const { queue, loop, settled, commits } = openLoop()
  const stop = new AbortController()
  const running = loop.run(stop.signal)
  await queue.send([message(1, 2), message(3), message(4)])
  await turns()
  assert.deepEqual(settled, [[1, 2]])
  commits[0]!.resolve()
  await turns()
  assert.deepEqual(settled, [
    [1, 2],
    [3, 4],
  ])
  assert.equal((await queue.depth()).held, 2)
  commits[1]!.resolve()
  await turns()
  assert.deepEqual(await queue.depth(), { waiting: 0, held: 0 })
  stop.abort()
  await running
})

test('if a processor dies, its message is split, and each part is processed alone', async () => {
  const { clock, queue, loop, read, commits } = openLoop()
  const stop = new AbortController()
  await queue.send([message(1, 2)])
  await queue.receive(1, 0, stop.signal)
  clock.advance(leaseMs)
  const running = loop.run(stop.signal)
  await turns()
  assert.deepEqual(read, [[1]], 'the second report waits for the commit of the first')
  commits[0]!.resolve()
  await turns()
  assert.deepEqual(read, [[1], [2]])
  commits[1]!.resolve()
  stop.abort()
  await running
})

test('a report that could not be committed is not acknowledged', async () => {
  const { queue, loop, commits } = openLoop()
  const stop = new AbortController()
  const running = loop.run(stop.signal)
  await queue.send([message(1)])
  await turns()
  commits[0]!.reject(new Error('the disk is gone'))
  await turns()
  assert.equal(loop.held, 0)
  assert.equal((await queue.depth()).held, 1)
  stop.abort()
  await running
})

test('a stop waits for messages in progress', async () => {
  const { queue, loop, commits } = openLoop()
  const stop = new AbortController()
  let isOver = false
  const running = loop.run(stop.signal).then(() => {
    isOver = true
  })
  await queue.send([message(1)])
  await turns()
  stop.abort()
  await turns()
  assert.equal(isOver, false)
  commits[0]!.resolve()
  await running
  assert.deepEqual(await queue.depth(), { waiting: 0, held: 0 })
})

test('while the store is down, a message stays in progress and does not count as lost', async () => {
  const { clock, queue, loop, settled, commits } = openLoop()
  const stop = new AbortController()
  const running = loop.run(stop.signal)
  await queue.send([message(1)])
  await turns()
  commits[0]!.reject(new Failure('store.busy', 'PostgreSQL is away'))
  await turns()
  assert.equal(loop.held, 1)
  clock.advance(500)
  await turns()
  assert.deepEqual(settled, [[1], [1]])
  commits[1]!.resolve()
  await turns()
  assert.deepEqual(await queue.depth(), { waiting: 0, held: 0 })
  stop.abort()
  await running
})

test('a stop does not wait for a store that is down', async () => {
  const { queue, loop, commits } = openLoop()
  const stop = new AbortController()
  const running = loop.run(stop.signal)
  await queue.send([message(1)])
  await turns()
  stop.abort()
  commits[0]!.reject(new Failure('store.busy', 'PostgreSQL is away'))
  await running
  assert.equal((await queue.depth()).held, 1, 'another processor gets the message when its lease expires')
})

test('if a message cannot be split because the queue is down, it is released and delivered again', async () => {
  const { clock, queue, loop, read, commits } = openLoop()
  const stop = new AbortController()
  const running = loop.run(stop.signal)
  await queue.send([message(1, 2)])
  await queue.receive(1, 0, stop.signal)
  const { send } = queue
  queue.send = async () => {
    throw new Failure('queue.unavailable', 'Redis is away')
  }
  clock.advance(leaseMs)
  await turns()
  assert.equal(loop.held, 0)
  queue.send = send
  clock.advance(leaseMs)
  await turns()
  assert.deepEqual(read, [[1]])
  commits[0]!.resolve()
  await turns()
  commits[1]!.resolve()
  stop.abort()
  await running
})
