// Tests how long a caller waits for its task, and what ends the wait.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { someTask } from '../../test/support/results-parts.ts'
import { endingOf } from './await-task.ts'

function waiting(state = 'in_progress', timeoutMs = 60_000) {
  let hear: (name: string, event: object) => void = () => {}
  let listeners = 0
  const gone = new AbortController()
  const stopping = new AbortController()
  const engine = {
    listen: (listener: typeof hear) => {
      hear = listener
      listeners += 1
      return () => {
        listeners -= 1
      }
    },
  }
  const store = {
    tasks: { get: async () => (state === 'none' ? null : someTask(1, { state: state as never })) },
  }
  const server = {
    parts: { engine, store, stopping: stopping.signal },
    settings: { graceMs: 1_000 },
  } as never
  const ending = endingOf(server, 'job-1', timeoutMs, gone.signal)
  return {
    ending,
    gone,
    stopping,
    listeners: () => listeners,
    hear: (name: string, event: object) => hear(name, { jobId: 'job-1', ...event }),
  }
}

test('the wait for an ended or missing task ends at once', async () => {
  for (const state of ['succeeded', 'none']) {
    const { ending, listeners } = waiting(state)
    assert.deepEqual(await ending, { is: 'ended' })
    assert.equal(listeners(), 0)
  }
})

test('the wait ends when the awaited task or its job ends, but not when other tasks or jobs end', async () => {
  const byTask = waiting()
  byTask.hear('task.settled', { n: 2, state: 'succeeded' })
  byTask.hear('task.settled', { jobId: 'job-2', n: 1, state: 'succeeded' })
  byTask.hear('task.settled', { n: 1, state: 'pending', reason: 'fetch.timeout' })
  byTask.hear('job.moved', { to: 'finishing', reason: null })
  byTask.gone.abort()
  assert.deepEqual(await byTask.ending, { is: 'gone' })
  const ended = waiting()
  ended.hear('task.settled', { n: 1, state: 'failed' })
  assert.deepEqual(await ended.ending, { is: 'ended' })
  const moved = waiting()
  moved.hear('job.moved', { to: 'cancelled', reason: null })
  assert.deepEqual(await moved.ending, { is: 'ended' })
  assert.equal(moved.listeners(), 0)
})

test('if a task has to wait for a long time, the caller learns the reason', async () => {
  const { ending, hear } = waiting()
  hear('task.settled', { n: 1, state: 'pending', reason: 'proxy.none-healthy', message: 'none of 2' })
  assert.deepEqual(await ending, { is: 'stuck', reason: 'proxy.none-healthy', message: 'none of 2' })
})

test('the wait ends at once if the engine has stopped, and after the grace period if the engine is stopping', async () => {
  const interrupted = waiting()
  interrupted.hear('job.moved', { to: 'paused', reason: 'interrupted' })
  assert.deepEqual(await interrupted.ending, { is: 'stopping' })
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const stopped = waiting()
    stopped.stopping.abort()
    mock.timers.tick(499)
    stopped.hear('task.settled', { n: 1, state: 'succeeded' })
    assert.deepEqual(await stopped.ending, { is: 'ended' })
    const late = waiting()
    late.stopping.abort()
    mock.timers.tick(500)
    assert.deepEqual(await late.ending, { is: 'stopping' })
  } finally {
    mock.timers.reset()
  }
})

test('the timeout of the caller ends the wait', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const { ending } = waiting('in_progress', 5_000)
    mock.timers.tick(5_000)
    assert.deepEqual(await ending, { is: 'late' })
  } finally {
    mock.timers.reset()
  }
})
