// Which options of a job mean that its pages may contain personal content.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobSpecInput } from '../../model/job.ts'
import type { LaneJob } from '../../model/lane.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import { inForce } from '../submit/policy-in-force.ts'
import { parseJobSpec } from '../submit/submit-job.ts'
import { hasCredentials } from './job-browser.ts'

const jobOf = (more: JobSpecInput, cookies: string | null = null): LaneJob => ({
  ...{ id: 'job', kind: 'list', userAgent: '', cookies, slots: 1 },
  spec: inForce(parseJobSpec({ urls: ['http://a.example/'], ...more })),
})
const scraper = {} as Scraper

test('a session, cookies, secret headers, secrets of actions and credentials of a scraper make a job personal', () => {
  assert.ok(hasCredentials(jobOf({ session: 'shop' }), scraper))
  assert.ok(hasCredentials(jobOf({}, '[]'), scraper))
  assert.ok(hasCredentials(jobOf({ headers: { 'X-Api-Key': 'a' } }), scraper))
  assert.ok(
    hasCredentials(jobOf({ actions: [{ type: 'type', selector: '#a', text: '{{secret.KEY}}' }] }), scraper),
  )
  assert.ok(hasCredentials(jobOf({}), { credentials: 'shop' } as Scraper))
})

test('public values do not make a job personal', () => {
  assert.ok(!hasCredentials(jobOf({ headers: { 'Accept-Language': 'fr' } }), scraper))
})
