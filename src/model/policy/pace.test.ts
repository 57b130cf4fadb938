// Tests how the rate of a job is described in words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JobPace, paceSentence, paceText, paceWithin } from './pace.ts'

const pace = (given: Partial<JobPace>): JobPace => ({
  perSecond: 1,
  reason: 'default',
  host: 'a.example',
  pages: 0,
  leftMs: 0,
  ...given,
})

test('the pace shows the rate with its reason, and says how to change the default', () => {
  assert.equal(paceText(pace({})), '1/s, the polite default; --rate changes it')
  assert.equal(paceText(pace({ perSecond: 12.5, reason: 'job' })), '13/s, as the job asks')
  assert.equal(
    paceText(pace({ perSecond: 1 / 30, reason: 'crawl-delay' })),
    '2/min, the Crawl-delay of robots.txt',
  )
  assert.equal(paceText(pace({ perSecond: null, reason: 'unlimited' })), 'no limit')
})

test('for long work, the pace shows the number of pages, the time and the reason', () => {
  const long = pace({ pages: 200_007, leftMs: 200_007_000 })
  assert.equal(
    paceSentence(long, ms => `${ms / 3_600_000} h`),
    '200007 pages of a.example take at least 56 h: 1/s, the polite default; --rate changes it',
  )
})

test('the estimate for a job with max_pages counts only these pages', () => {
  const known = pace({ pages: 250, leftMs: 250_000 })
  assert.deepEqual(paceWithin(known, 30), { ...known, pages: 30, leftMs: 30_000 })
  assert.equal(paceWithin(known, 300), known)
  assert.equal(paceWithin(null, 30), null)
})
