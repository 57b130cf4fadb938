// Tests how the state of a job is shown in Firecrawl's form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, jobOf } from '../../../../test/support/job-values.ts'
import type { Settings } from '../../../config/settings.ts'
import type { StoredRecord } from '../../../model/record.ts'
import { cancelledReason } from '../../../pipeline/coordinate/running-job.ts'
import type { DocumentParts } from './source.ts'
import { placeAfter, recordsAfter, shownStatus, statusOf, theirCounts } from './status.ts'

test('a job that is being cancelled is reported as cancelled at once, and a paused job is still reported as scraping', () => {
  assert.equal(statusOf({ state: 'finishing', reason: cancelledReason }), 'cancelled')
  assert.equal(statusOf({ state: 'finishing', reason: null }), 'scraping')
  assert.equal(statusOf({ state: 'paused', reason: 'user' }), 'scraping')
  assert.equal(statusOf({ state: 'cancelled', reason: null }), 'cancelled')
  assert.equal(statusOf({ state: 'failed', reason: null }), 'failed')
  assert.equal(statusOf({ state: 'partially_completed', reason: null }), 'completed')
})

const byState = {
  pending: 1,
  queued: 2,
  in_progress: 3,
  succeeded: 9,
  failed: 4,
  skipped: 50,
  cancelled: 60,
}
const countsIn = (spec: { maxPages?: number }, state: 'running' | 'completed' = 'running') =>
  theirCounts(jobOf({ state, spec }), countsOf({ pages: 8, byState }))

test('the total counts documents and open tasks, but neither failed nor skipped pages', () => {
  assert.deepEqual(countsIn({}), { completed: 8, total: 14, creditsUsed: 8 })
})

test('the total of a crawl never exceeds its limit, and equals the completed count when the crawl has ended', () => {
  assert.equal(countsIn({ maxPages: 10 }).total, 10)
  assert.equal(countsIn({ maxPages: 100 }).total, 14)
  assert.deepEqual(countsIn({ maxPages: 10 }, 'completed'), { completed: 8, total: 8, creditsUsed: 8 })
})

test('the status of an ended job has a duration and an expiry time; if pages never expire, the expiry is a year after the end', () => {
  const ended = jobOf({ createdAt: 0, startedAt: 1_000, finishedAt: 3_500 })
  const shown = (rawRetention: number, job = ended) =>
    shownStatus({ settings: { rawRetention } as Settings }, job, countsOf())
  assert.equal(shown(60_000).expiresAt, new Date(63_500).toISOString())
  assert.equal(shown(0).expiresAt, new Date(3_500 + 365 * 86_400_000).toISOString())
  assert.equal(shown(1).duration, 2.5)
  const running = shown(
    60_000,
    jobOf({ state: 'running', createdAt: 5_000, startedAt: null, finishedAt: null }),
  )
  assert.equal('completedAt' in running, false)
  assert.equal(running.expiresAt, new Date(65_000).toISOString())
})

/** A fake record store. Every third record is not the first one of its page. */
function partsWith(count: number): DocumentParts {
  const all = Array.from({ length: count }, (_, at) => ({
    seq: at + 1,
    index: at % 3 === 2 ? 1 : 0,
    data: '{}',
  }))
  const list = async (_job: string, { after, limit }: { after: number; limit: number }) =>
    all.filter(({ seq }) => seq > after).slice(0, limit)
  return { store: { records: { list } } } as unknown as DocumentParts
}

test('only the first record of each page is returned, however many pages there are', async () => {
  const seen: number[] = []
  for await (const { seq } of recordsAfter(partsWith(250), 'job-1', 0) as AsyncGenerator<StoredRecord>)
    seen.push(seq)
  assert.equal(seen.length, 167)
  assert.deepEqual(seen.slice(0, 4), [1, 2, 4, 5])
  assert.equal(seen.at(-1), 250)
})

test('skip leaves out that many documents at the start of the list, and the list is empty if there are fewer', async () => {
  assert.deepEqual(await placeAfter(partsWith(9), 'job-1', 0), { skip: 0, after: 0 })
  assert.deepEqual(await placeAfter(partsWith(9), 'job-1', 3), { skip: 3, after: 4 })
  assert.deepEqual(await placeAfter(partsWith(9), 'job-1', 100), { skip: 6, after: 8 })
})
