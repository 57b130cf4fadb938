// Tests the timeline of a job: its ended attempts over time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobOf } from '../../../../test/support/job-values.ts'
import { timelineOf } from './timeline.ts'

async function timeline(span: { first: number; last: number } | null, wanted = 10) {
  const asked: Array<{ first: number; stepMs: number }> = []
  const activity = {
    span: async () => span,
    steps: async (_jobId: string, step: { first: number; stepMs: number }) => {
      asked.push(step)
      return []
    },
  }
  const store = { activity, jobs: { counts: async () => ({ tasks: 7 }) } }
  return { ...(await timelineOf({ parts: { store } } as never, jobOf(), wanted)), asked }
}

test('the timeline of a job without attempts has no steps', async () => {
  const { from, steps, tasks, asked } = await timeline(null)
  assert.deepEqual([from, steps, tasks, asked], [null, [], 7, []])
})

test('the steps of a timeline begin at the first attempt, and their number has a limit', async () => {
  for (const [length, wanted] of [
    [3_600_000, 10],
    [59_000, 120],
    [86_400_000, 500],
  ] as const) {
    const { from, stepMs, asked } = await timeline({ first: 0, last: length }, wanted)
    assert.equal(from, '1970-01-01T00:00:00.000Z')
    assert.deepEqual(asked, [{ first: 0, stepMs }])
    assert.ok(Math.floor(length / stepMs) + 1 <= wanted, `${length} by ${stepMs}`)
  }
})
