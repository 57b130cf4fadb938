// The store contract for expired data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobSpec } from '../../../src/model/job.ts'
import {
  claim,
  newJob,
  newRecord,
  newTasks,
  type OpenStore,
  openWithJob,
  settle,
  settlementOf,
} from './fixtures.ts'

const webhook = (id: string, createdAt: number) => ({
  ...{ id, event: 'job.ended' as const, url: 'https://hook.example/', createdAt, body: '{}' },
})

export function retentionPromises(open: OpenStore): void {
  test('ended jobs are listed in brief, oldest first, with their retention settings', async () => {
    await using opened = await openWithJob(open, 0)
    const { store } = opened
    const retention = { rawMs: 5_000, recordsMs: 0 }
    const spec = jobSpec.parse({ seedUrls: ['https://shop.example/'], retention })
    await store.jobs.create(newJob('kept', { spec }), [])
    await store.jobs.move('kept', ['pending'], 'cancelled', { at: 9_000 })
    await store.jobs.create(newJob('later'), [])
    await store.jobs.move('later', ['pending'], 'cancelled', { at: 9_500 })
    const [first] = await store.retention.ended({ after: 0, limit: 1 })
    const rest = await store.retention.ended({ after: first!.place, limit: 10 })
    assert.deepEqual(
      { ...first, place: 0 },
      { id: 'kept', finishedAt: 9_000, scheduleId: null, retention, place: 0 },
    )
    assert.deepEqual(
      rest.map(({ id, retention: own }) => [id, own]),
      [['later', null]],
    )
  })

  test('records of a job are deleted in batches, with cached responses that use them; counts and other jobs stay unchanged', async () => {
    await using opened = await openWithJob(open, 2)
    const { store, clock } = opened
    await store.jobs.create(newJob('other'), newTasks(1))
    const [a, b] = await claim(store, clock)
    const [c] = await claim(store, clock, { jobId: 'other' })
    const answer = { key: 'k', checkedAt: 1, etag: null, lastModified: null, bodyKey: null }
    await settle(store, settlementOf(a!, { records: [newRecord(0), newRecord(1)], answer }))
    await settle(store, settlementOf(b!, { records: [newRecord(0)] }))
    await settle(store, settlementOf(c!, { records: [newRecord(0)] }))
    const { retention } = store
    assert.equal(await retention.forgetRecords('job', { limit: 2, dryRun: true }), 3)
    assert.equal(await retention.forgetRecords('job', { limit: 2 }), 2)
    assert.equal(await retention.forgetRecords('job', { limit: 2 }), 1)
    assert.equal(await retention.forgetRecords('job', { limit: 2, dryRun: true }), 0)
    assert.equal((await store.answers.find(['k'])).size, 0)
    assert.equal((await store.jobs.counts('job')).records, 3)
    assert.equal((await store.records.list('other', { after: 0, limit: 10 })).length, 1)
  })

  test('a dry run counts old webhooks and cached responses, of one job or of all jobs', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    for (const id of ['a', 'b']) {
      await store.jobs.create(newJob(id), [])
      await store.jobs.move(id, ['pending'], 'cancelled', {
        at: 2_000,
        webhooks: [webhook(`told-${id}`, 2_000)],
      })
      const attempt = { at: 3_000, durationMs: 1, status: 200, error: null }
      await store.outbox.settle(`told-${id}`, attempt, { state: 'delivered' })
    }
    const { retention } = store
    const dry = { limit: 1, dryRun: true }
    assert.equal(await retention.forgetWebhooks(3_000, dry), 0)
    assert.equal(await retention.forgetWebhooks(9_000, dry), 2)
    assert.equal(await retention.forgetWebhooks(9_000, dry, 'a'), 1)
    assert.equal(await retention.forgetWebhooks(9_000, { limit: 10 }, 'a'), 1)
    assert.equal(await store.outbox.get('told-a'), null)
    assert.equal(await retention.forgetWebhooks(9_000, { limit: 10 }), 1)
    const [task] = await claim(store, clock)
    const answer = { key: 'k', checkedAt: 500, etag: null, lastModified: null, bodyKey: null }
    await settle(store, settlementOf(task!, { records: [newRecord(0)], answer }))
    assert.equal(await retention.forgetAnswers(500, { dryRun: true }), 0)
    assert.equal(await retention.forgetAnswers(501, { dryRun: true }), 1)
  })
}
