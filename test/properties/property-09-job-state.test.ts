// Property 9: the state of an ended job follows from the outcomes of its tasks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type TaskState, taskStates } from '../../src/model/task.ts'
import { finalState } from '../../src/pipeline/coordinate/job-states/finish-job.ts'

/** The outcomes of a job's tasks. */
const endings = fc.array(fc.constantFrom<TaskState>('succeeded', 'failed', 'skipped', 'cancelled'), {
  maxLength: 60,
})

function stateAfter(tasks: TaskState[], brokenSource: string | null = null) {
  const byState = Object.fromEntries(
    taskStates.map(state => [state, tasks.filter(task => task === state).length]),
  ) as Record<TaskState, number>
  return finalState({ byState }, brokenSource)
}

test('property 9: a job without a failed task is completed', () => {
  fc.assert(
    fc.property(endings, tasks => {
      const well = tasks.filter(task => task !== 'failed')
      assert.equal(stateAfter(well), 'completed')
    }),
  )
})

test('property 9: a job whose tasks all failed is failed, and a job with some failed tasks is partially completed', () => {
  fc.assert(
    fc.property(endings, tasks => {
      const expected = tasks.includes('succeeded') ? 'partially_completed' : 'failed'
      assert.equal(stateAfter([...tasks, 'failed']), expected)
    }),
  )
})

test('property 9: a source that could not be read to its end counts as a failure', () => {
  fc.assert(
    fc.property(endings, tasks => {
      const expected = tasks.includes('succeeded') ? 'partially_completed' : 'failed'
      assert.equal(stateAfter(tasks, 'urls.csv breaks off'), expected)
    }),
  )
})

test('property 9: the order of the tasks does not matter', () => {
  fc.assert(fc.property(endings, tasks => assert.equal(stateAfter(tasks), stateAfter(tasks.toReversed()))))
})
