// Tests the rate of a job in tasks per second over the last minute.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentRates } from './rates.ts'

function ratesAt() {
  let now = 1_000_000
  let hear: (name: string, event: object) => void = () => {}
  const rates = new RecentRates({
    clock: { now: () => now },
    engine: {
      listen: (listener: typeof hear) => {
        hear = listener
      },
    },
  } as never)
  const settle = (state = 'succeeded', jobId = 'job-1') => hear('task.settled', { jobId, state })
  return {
    rates,
    settle,
    end: (to: string) => hear('job.moved', { jobId: 'job-1', to }),
    wait: (s: number) => (now += s * 1_000),
  }
}

test('the rate of a young job is measured over the time since its start', () => {
  const { rates, settle, wait } = ratesAt()
  for (let n = 0; n < 6; n++) settle()
  assert.equal(rates.of('job-1'), 6)
  wait(2)
  assert.equal(rates.of('job-1'), 2)
})

test('attempts older than a minute do not count, even if no attempt followed', () => {
  const { rates, settle, wait } = ratesAt()
  for (let n = 0; n < 120; n++) settle()
  wait(59)
  assert.equal(rates.of('job-1'), 2)
  wait(1)
  assert.equal(rates.of('job-1'), 0)
  wait(10_000)
  for (let n = 0; n < 60; n++) settle()
  assert.equal(rates.of('job-1'), 1)
})

test('retries, tasks of other jobs and ended jobs do not count for the rate of a job', () => {
  const { rates, settle, end } = ratesAt()
  settle('pending')
  settle('failed', 'job-2')
  assert.equal(rates.of('job-1'), 0)
  settle()
  end('paused')
  assert.equal(rates.of('job-1'), 1)
  end('completed')
  assert.equal(rates.of('job-1'), 0)
})
