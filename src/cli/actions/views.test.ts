// Tests whether a view has the records of one job or of one scraper.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subjectOf } from './views.ts'

test('views create takes a job or a scraper', () => {
  assert.deepEqual(subjectOf('job-1', {}), { of: 'job', jobId: 'job-1' })
  assert.deepEqual(subjectOf(undefined, { scraper: 's' }), { of: 'scraper', scraperId: 's', workspace: null })
  const ofTeam = subjectOf(undefined, { scraper: 's', workspace: 'team' })
  assert.deepEqual(ofTeam, { of: 'scraper', scraperId: 's', workspace: 'team' })
})

test('views create refuses a job together with a scraper or a workspace, and a call with neither job nor scraper', () => {
  const invalid = { code: 'input.invalid' }
  assert.throws(() => subjectOf(undefined, {}), invalid)
  assert.throws(() => subjectOf('job-1', { scraper: 's' }), invalid)
  assert.throws(() => subjectOf('job-1', { workspace: 'team' }), invalid)
})
