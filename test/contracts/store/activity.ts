// The store contract for activity: every attempt is counted once, when it ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  claim,
  failure,
  newAttempt,
  newJob,
  newRecord,
  newTasks,
  type OpenStore,
  openWithJob,
  settle,
  settlementOf,
} from './fixtures.ts'

const hourMs = 3_600_000

export function activityPromises(open: OpenStore): void {
  test('attempts are counted by the second in which they ended, and these counts add up to all attempts', async () => {
    await using opened = await openWithJob(open, 6)
    const { store, clock } = opened
    assert.equal(await store.activity.span('job'), null)
    const tasks = await claim(store, clock)
    for (const [index, task] of tasks.entries()) {
      const history = newAttempt(1, { endedAt: 10_000 + index * 700 })
      await settle(store, settlementOf(task, { history }))
    }
    assert.deepEqual(await store.activity.span('job'), { first: 10_000, last: 13_000 })
    assert.deepEqual(await store.activity.steps('job', { first: 10_000, stepMs: 1_000 }), [
      { at: 10_000, outcome: 'ok', attempts: 2 },
      { at: 11_000, outcome: 'ok', attempts: 1 },
      { at: 12_000, outcome: 'ok', attempts: 2 },
      { at: 13_000, outcome: 'ok', attempts: 1 },
    ])
    assert.deepEqual(await store.activity.steps('job', { first: 10_000, stepMs: 5_000 }), [
      { at: 10_000, outcome: 'ok', attempts: 6 },
    ])
  })

  test('the activity per hour counts pages, records and failures of one workspace by host', async () => {
    await using opened = await openWithJob(open, 0)
    const { store, clock } = opened
    await store.jobs.create(newJob('other', { origin: { workspace: 'theirs' } }), newTasks(1))
    await store.tasks.add('job', newTasks(3))
    await store.jobs.move('other', ['pending'], 'running')
    const [first, second, third] = await claim(store, clock)
    const [theirs] = await claim(store, clock, { jobId: 'other' })
    const at = (endedAt: number) => newAttempt(1, { endedAt })
    await settle(store, settlementOf(first!, { history: at(5), records: [newRecord(0), newRecord(1)] }))
    await settle(store, settlementOf(second!, { history: at(hourMs + 1) }))
    const failed = newAttempt(1, { endedAt: hourMs + 2, outcome: 'http.not-found' })
    await settle(store, { ...failure(third!), history: failed })
    await settle(store, settlementOf(theirs!, { history: at(hourMs + 3) }))
    const ok = { outcome: 'ok', attempts: 1 }
    assert.deepEqual(await store.activity.hours({ workspace: 'default', from: 0 }), [
      { at: 0, ...ok, pages: 1, records: 2 },
      { at: hourMs, outcome: 'http.not-found', attempts: 1, pages: 0, records: 0 },
      { at: hourMs, ...ok, pages: 1, records: 0 },
    ])
    assert.deepEqual(await store.activity.failures({ workspace: 'default', from: 0, limit: 9 }), [
      { host: 'shop.example', outcome: 'http.not-found', attempts: 1, jobId: 'job' },
    ])
    const all = await store.activity.hours({ from: hourMs })
    assert.deepEqual(
      all.map(({ outcome, attempts }) => [outcome, attempts]),
      [
        ['http.not-found', 1],
        ['ok', 2],
      ],
    )
    const jobs = (filter: object) =>
      store.activity.jobs({ workspace: 'default', from: 0, by: 'attempts', limit: 9, ...filter })
    const job = { jobId: 'job', attempts: 3, pages: 2, records: 2 }
    const sums = { jobCount: 1, attempts: 3, pages: 2, records: 2 }
    assert.deepEqual(await jobs({}), { ...sums, jobs: [job] })
    assert.deepEqual((await jobs({ from: hourMs, by: 'records' })).jobCount, 0, 'no record in this hour')
    const oneError = { attempts: 1, pages: 0, records: 0 }
    for (const filter of [{ outcomes: ['http.not-found'] }, { host: 'shop.example' }])
      assert.deepEqual(await jobs(filter), {
        jobCount: 1,
        ...oneError,
        jobs: [{ jobId: 'job', ...oneError }],
      })
    assert.deepEqual(await jobs({ host: 'other.example' }), {
      ...{ jobCount: 0, attempts: 0, pages: 0, records: 0, jobs: [] },
    })
    const every = await store.activity.jobs({ from: 0, by: 'pages', limit: 1 })
    assert.deepEqual([every.jobCount, every.pages, every.jobs.length], [2, 3, 1])
    await store.jobs.delete('job')
    assert.deepEqual(await store.activity.hours({ workspace: 'default', from: 0 }), [])
  })
}
