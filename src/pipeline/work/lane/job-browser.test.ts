// Tests which options of a job count as credentials. Pages of such a job may contain personal content.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobSpecInput } from '../../../model/job.ts'
import type { LaneJob } from '../../../model/lane.ts'
import type { Scraper } from '../../../scraper/define-scraper.ts'
import { inForce } from '../../submit/policy-in-force.ts'
import { parseJobSpec } from '../../submit/submit-job.ts'
import { hasCredentials } from './job-browser.ts'

const jobOf = (more: JobSpecInput, cookies: string | null = null): LaneJob => ({
  ...{ id: 'job', kind: 'list', workspace: 'default', userAgent: '', cookies, slots: 1 },
  spec: inForce(parseJobSpec({ urls: ['http://a.example/'], ...more })),
})
const scraper = {} as Scraper

test('a session, cookies, a secret header, an action secret or scraper credentials count as credentials of the job', () => {
  assert.ok(hasCredentials(jobOf({ session: 'shop' }), scraper))
  assert.ok(hasCredentials(jobOf({}, '[]'), scraper))
  assert.ok(hasCredentials(jobOf({ headers: { 'X-Api-Key': 'a' } }), scraper))
  assert.ok(
    hasCredentials(jobOf({ actions: [{ type: 'type', selector: '#a', text: '{{secret.KEY}}' }] }), scraper),
  )
  assert.ok(hasCredentials(jobOf({}), { credentials: 'shop' } as Scraper))
})

test('a public header is no credential', () => {
  assert.ok(!hasCredentials(jobOf({ headers: { 'Accept-Language': 'fr' } }), scraper))
})
