// Tests the notices that are printed before a job runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isConcurrencyIdle } from './start-job.ts'

test('if --concurrency has no effect because a crawl of one site uses the default rate, a notice says so', () => {
  const crawl = { seedUrls: ['https://a.example/'] }
  assert.equal(isConcurrencyIdle({ concurrency: 10 }, crawl), true)
  assert.equal(isConcurrencyIdle({ concurrency: 10, rate: 5 }, crawl), false)
  assert.equal(isConcurrencyIdle({ concurrency: 10 }, {}), false, 'a list may have many hosts')
  assert.equal(isConcurrencyIdle({}, crawl), false)
})
