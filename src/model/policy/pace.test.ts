// The pace of a job in words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JobPace, paceText } from './pace.ts'

const pace = (given: Partial<JobPace>): JobPace => ({
  perSecond: 1,
  reason: 'default',
  host: 'a.example',
  leftMs: 0,
  ...given,
})

test('the rate is told with its reason, and how to change the default', () => {
  assert.equal(paceText(pace({})), '1/s, the polite default; --rate changes it')
  assert.equal(paceText(pace({ perSecond: 12.5, reason: 'job' })), '13/s, as the job asks')
  assert.equal(
    paceText(pace({ perSecond: 1 / 30, reason: 'crawl-delay' })),
    '2/min, the Crawl-delay of robots.txt',
  )
  assert.equal(paceText(pace({ perSecond: null, reason: 'unlimited' })), 'no limit')
})
