// Tests service loops that follow jobs: no event is missed, and failed actions are retried.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../lib/clocks.ts'
import { Emitter } from '../lib/emitter.ts'
import type { JobState } from '../model/job.ts'
import { followJobs, type JobFollower } from './follow-jobs.ts'
import type { JobEngine } from './parts.ts'

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

function open(follower: Partial<JobFollower>) {
  const events = new Emitter()
  const clock = new FakeClock()
  const done: string[] = []
  const trouble: Array<string | null> = []
  const stop = new AbortController()
  const engine = { listen: events.listen.bind(events) } as JobEngine
  const ended = followJobs(
    { engine, clock },
    {
      before: async () => [],
      concerns: name => name === 'job.moved',
      act: async jobId => void done.push(jobId),
      trouble: (_error, jobId) => trouble.push(jobId),
      ...follower,
    },
    stop.signal,
  )
  const move = (jobId: string, to: JobState = 'completed') =>
    events.emit('job.moved', { jobId, to, reason: null })
  const over = async () => {
    stop.abort()
    await ended
  }
  return { done, trouble, clock, move, over }
}

test('a job that ends while earlier jobs are loaded is not missed', async () => {
  const { promise: listed, resolve } = Promise.withResolvers<string[]>()
  const { done, move, over } = open({ before: () => listed })
  move('meanwhile')
  resolve(['before'])
  await turn()
  assert.deepEqual(done.sort(), ['before', 'meanwhile'])
  await over()
})

test('earlier jobs that could not be loaded are loaded again', async () => {
  let looks = 0
  const before = async () => {
    if (++looks === 1) throw new Error('the store is away')
    return ['before']
  }
  const { done, trouble, clock, move, over } = open({ before })
  await turn()
  assert.deepEqual([done, trouble], [[], [null]])
  clock.advance(1_000)
  await turn()
  assert.deepEqual(done, ['before'])
  move('heard')
  await turn()
  assert.deepEqual([done, looks], [['before', 'heard'], 2])
  await over()
})

test('if an action for a job fails, it is retried, and other jobs continue meanwhile', async () => {
  const tries: string[] = []
  const act = async (jobId: string) => {
    tries.push(jobId)
    if (tries.length === 1) throw new Error('the store is away')
  }
  const { trouble, clock, over } = open({ act, before: async () => ['one', 'two'] })
  await turn()
  assert.deepEqual([tries, trouble], [['one', 'two'], ['one']])
  clock.advance(1_000)
  await turn()
  assert.deepEqual(tries, ['one', 'two', 'one'])
  await over()
})

test('events of an irrelevant job are ignored until the job ends', async () => {
  const acts: string[] = []
  const act = async (jobId: string) => {
    acts.push(jobId)
    return jobId === 'other' && acts.length < 3 ? ('irrelevant' as const) : undefined
  }
  const { move, over } = open({ act })
  const moves: Array<[jobId: string, to: JobState]> = [
    ['other', 'running'],
    ['other', 'paused'],
    ['followed', 'running'],
    ['other', 'running'],
    ['other', 'completed'],
  ]
  for (const [jobId, to] of moves) {
    move(jobId, to)
    await turn()
  }
  assert.deepEqual(acts, ['other', 'followed', 'other'])
  await over()
})
