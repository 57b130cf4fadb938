// Tests which two runs of a schedule are compared.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobOf } from '../../../../test/support/job-values.ts'
import type { Job } from '../../../model/job.ts'
import { runsOf } from './comparing.ts'

const run = (id: string, createdAt: number, change: Partial<Job> = {}) =>
  ({ ...jobOf({ id, createdAt, scheduleId: 's', workspace: 'team' }), ...change }) as Job
const schedule = { id: 's', workspace: 'team' } as never

async function compared(jobs: Job[], asked: { from?: string; to?: string } = {}) {
  const store = {
    jobs: {
      get: async (id: string) => jobs.find(job => job.id === id) ?? null,
      list: async () => jobs.filter(({ state }) => state === 'completed'),
    },
  }
  return (await runsOf({ store } as never, schedule, asked)).map(({ id }) => id)
}
const three = [run('c', 3), run('b', 2), run('a', 1)]

test('the last two runs are compared, or a named run with the run before it', async () => {
  assert.deepEqual(await compared(three), ['b', 'c'])
  assert.deepEqual(await compared(three, { to: 'b' }), ['a', 'b'])
  assert.deepEqual(await compared(three, { from: 'a' }), ['a', 'c'])
  assert.deepEqual(await compared(three, { from: 'c', to: 'a' }), ['c', 'a'])
})

test('a schedule with a single run has no comparison', async () => {
  await assert.rejects(compared([run('a', 1)]), { code: 'job.wrong-state' })
  await assert.rejects(compared(three, { to: 'a' }), { code: 'job.wrong-state' })
})

test('a named run must be an ended run of this schedule', async () => {
  const unknown = { code: 'job.unknown', details: { path: 'to' } }
  await assert.rejects(compared(three, { to: 'none' }), unknown)
  await assert.rejects(compared([...three, run('x', 4, { scheduleId: 'other' })], { to: 'x' }), unknown)
  await assert.rejects(compared([...three, run('x', 4, { workspace: 'other' })], { to: 'x' }), unknown)
  await assert.rejects(compared([...three, run('x', 4, { state: 'running' })], { to: 'x' }), {
    code: 'job.wrong-state',
  })
})
