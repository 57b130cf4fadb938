// The store contract for replaced records and cached responses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewAnswer } from '../../../src/model/page/answer.ts'
import type { Reextraction } from '../../../src/ports/store.ts'
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

const progress = (after: number): Reextraction => ({
  maker: 'rules@1f2e3d',
  after,
  done: { pages: after, records: after, rescued: 0, failed: 0, notKept: 0 },
})

const made = (by: string, index = 0) =>
  newRecord(index, { scraper: by, provenance: '{"name":{"from":"css","by":"h1"}}' })

export function replacePromises(open: OpenStore): void {
  test('new records replace the old ones, and the counters match', async () => {
    await using opened = await openWithJob(open, 3)
    const { store, clock } = opened
    const [a, b] = await claim(store, clock)
    await settle(store, settlementOf(a!, { records: [newRecord(0), newRecord(1)] }))
    await settle(store, settlementOf(b!, { records: [newRecord(0)] }))

    await store.records.replace('job', [{ n: 1, records: [made('rules@2')] }], progress(1))

    const { url, seq, jobId, n, itemId, input, ...kept } = (await store.records.ofTask('job', 1))[0]!
    assert.deepEqual(kept, made('rules@2'))
    assert.equal((await store.records.ofTask('job', 1)).length, 1)
    assert.equal((await store.records.ofTask('job', 2))[0]?.scraper, 'page@1')
    assert.equal((await store.jobs.counts('job')).records, 2)
    assert.equal((await store.jobs.counts('job')).pages, 2)
  })

  test('replacing the records of a task twice leaves each record once', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    const [a] = await claim(store, clock)
    await settle(store, settlementOf(a!, { records: [newRecord(0)] }))
    const replacement = [{ n: 1, records: [made('rules@2'), made('rules@2', 1)] }]
    await store.records.replace('job', replacement, progress(1))
    await store.records.replace('job', replacement, null)
    assert.equal((await store.records.list('job', { after: 0, limit: 10 })).length, 2)
    assert.equal((await store.jobs.counts('job')).records, 2)
  })

  test('a task that has not succeeded gets no records from a re-extraction', async () => {
    await using opened = await openWithJob(open, 2)
    const { store, clock } = opened
    const [a] = await claim(store, clock, { limit: 1 })
    await settle(store, failure(a!))
    const replacements = [1, 2, 99].map(n => ({ n, records: [made('rules@2')] }))
    await store.records.replace('job', replacements, null)
    assert.deepEqual(await store.records.list('job', { after: 0, limit: 10 }), [])
    assert.equal((await store.jobs.counts('job')).records, 0)
  })

  test('a failed task for which a re-extraction finds records becomes succeeded, and the counters match', async () => {
    await using opened = await openWithJob(open, 2)
    const { store, clock } = opened
    const [a] = await claim(store, clock, { limit: 1 })
    await settle(store, failure(a!))
    const identity = { canonical: 5n, content: null }
    await store.records.replace('job', [{ n: 1, records: [made('rules@2')], rescued: identity }], null)

    const { state, reason, message } = (await store.tasks.get('job', 1))!
    assert.deepEqual({ state, reason, message }, { state: 'succeeded', reason: 'ok', message: null })
    const { byState, byReason, records, pages } = await store.jobs.counts('job')
    assert.deepEqual([byState.failed, byState.succeeded, records, pages], [0, 1, 1, 1])
    assert.deepEqual(byReason, { ok: 1 })
  })

  test('a failed task whose re-extracted page is a duplicate becomes skipped and has no records', async () => {
    await using opened = await openWithJob(open, 2)
    const { store, clock } = opened
    const [a, b] = await claim(store, clock)
    const identity = { canonical: 5n, content: null }
    await settle(store, settlementOf(a!, { identity }), failure(b!))
    await store.records.replace('job', [{ n: 2, records: [made('rules@2')], rescued: identity }], null)

    const { state, reason, duplicateOf } = (await store.tasks.get('job', 2))!
    const expected = { state: 'skipped', reason: 'duplicate.canonical', duplicateOf: 1 }
    assert.deepEqual({ state, reason, duplicateOf }, expected)
    assert.deepEqual(await store.records.ofTask('job', 2), [])
    assert.equal((await store.jobs.counts('job')).byState.failed, 0)
  })

  test('a re-extraction changes only succeeded, failed and skipped tasks', async () => {
    await using opened = await openWithJob(open, 1)
    const { store } = opened
    const identity = { canonical: null, content: null }
    await store.records.replace('job', [{ n: 1, records: [made('rules@2')], rescued: identity }], null)
    assert.equal((await store.tasks.get('job', 1))?.state, 'pending')
    assert.deepEqual(await store.records.ofTask('job', 1), [])
  })

  test('the progress of a re-extraction is stored until it is done', async () => {
    await using opened = await openWithJob(open, 1)
    const { store } = opened
    assert.equal(await store.records.reextraction('job'), null)
    await store.records.replace('job', [], progress(7))
    assert.deepEqual(await store.records.reextraction('job'), progress(7))
    await store.records.replace('job', [], null)
    assert.equal(await store.records.reextraction('job'), null)
  })

  test('tokens that a job spends on a model are counted, and unused reservations are returned', async () => {
    await using opened = await openWithJob(open, 1)
    const { store } = opened
    await store.jobs.spend('job', 3_000)
    await store.jobs.spend('job', -1_200)
    assert.equal((await store.jobs.counts('job')).llmTokens, 1_800)
    await assert.rejects(store.jobs.spend('none', 1), { code: 'job.unknown' })
  })

  test('files of a job whose records were replaced must be written again', async () => {
    await using opened = await openWithJob(open, 1)
    const { store } = opened
    await store.outputs.save('job', { path: 'a.jsonl', format: 'jsonl', seq: 9, bytes: 90, done: true })
    await store.records.replace('job', [], null)
    assert.deepEqual(await store.outputs.list('job'), [
      { path: 'a.jsonl', format: 'jsonl', seq: 0, bytes: 0, done: false },
    ])
  })

  test('a revised spec replaces the spec of the job', async () => {
    await using opened = await openWithJob(open, 1)
    const { store } = opened
    const { spec } = (await store.jobs.get('job'))!
    await store.jobs.revise('job', { ...spec, scraperId: 'other' })
    assert.equal((await store.jobs.get('job'))?.spec.scraperId, 'other')
  })
}

const answer = (change: Partial<NewAnswer> = {}): NewAnswer => ({
  key: 'request',
  checkedAt: 5_000,
  etag: '"v1"',
  lastModified: null,
  bodyKey: '77',
  ...change,
})
const raw = { key: 'jobs/job/segments/a.warc.gz', offset: 10, length: 20 }

async function openWithAnswer(open: OpenStore) {
  const opened = await openWithJob(open, 2)
  const [a] = await claim(opened.store, opened.clock, { limit: 1 })
  const history = newAttempt(a!.attempt, { raw })
  await settle(opened.store, settlementOf(a!, { records: [made('page@1')], answer: answer(), history }))
  return opened
}

export function answerPromises(open: OpenStore): void {
  test('a cached response is returned with its records and the position of its page', async () => {
    await using opened = await openWithAnswer(open)
    const found = await opened.store.answers.find(['request', 'another'])
    assert.deepEqual([...found], [['request', { ...answer(), raw, records: [made('page@1')] }]])
  })

  test('of several responses to one request, the latest is the cached one', async () => {
    await using opened = await openWithAnswer(open)
    const { store, clock } = opened
    await store.jobs.create(newJob('other'), newTasks(1))
    const [task] = await claim(store, clock, { jobId: 'other' })
    const later = answer({ checkedAt: 6_000, etag: null, lastModified: 'Thu, 01 Jan 2026 00:00:00 GMT' })
    await settle(store, settlementOf(task!, { answer: later, records: [] }))
    const found = await store.answers.find(['request'])
    assert.deepEqual(found.get('request'), { ...later, raw: null, records: [] })
  })

  test('only successful responses are cached', async () => {
    await using opened = await openWithJob(open, 1)
    const { store, clock } = opened
    const [a] = await claim(store, clock)
    await settle(store, { ...failure(a!), answer: answer() })
    assert.equal((await store.answers.find(['request'])).size, 0)
  })

  test('a cached response is deleted with its job', async () => {
    await using opened = await openWithAnswer(open)
    await opened.store.jobs.delete('job')
    assert.equal((await opened.store.answers.find(['request'])).size, 0)
  })

  test('a cached response is deleted when the records of its task are replaced', async () => {
    await using opened = await openWithAnswer(open)
    await opened.store.records.replace('job', [{ n: 1, records: [] }], null)
    assert.equal((await opened.store.answers.find(['request'])).size, 0)
  })

  test('a cached response that no host confirmed for the retention time is deleted', async () => {
    await using opened = await openWithAnswer(open)
    assert.equal(await opened.store.retention.forgetAnswers(5_000), 0)
    assert.equal(await opened.store.retention.forgetAnswers(5_001), 1)
    assert.equal((await opened.store.answers.find(['request'])).size, 0)
  })
}
