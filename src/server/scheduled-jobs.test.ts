// Tests the job of a schedule: it is checked when the schedule is created, and runs with the scopes of its key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../model/failures.ts'
import { jobOfSchedule, placed } from './scheduled-jobs.ts'

test('the job of a schedule may be written in snake_case or in camelCase', () => {
  const one = jobOfSchedule({ seed_urls: ['https://a.example/'], max_pages: 5 })
  assert.deepEqual(one, jobOfSchedule({ seedUrls: ['https://a.example/'], maxPages: 5 }))
})

test('errors of a scheduled job give the path within the schedule', () => {
  assert.throws(() => jobOfSchedule({ urls: ['https://a.example/'], max_pages: 'many' }), {
    ...{ code: 'input.invalid', message: /job\.max_pages/, details: { path: 'job.max_pages' } },
  })
})

test('the job of a schedule has no id of its own', () => {
  const given = { urls: ['https://a.example/'], job_id: 'mine' }
  assert.throws(() => jobOfSchedule(given), { code: 'input.invalid', details: { path: 'job.job_id' } })
})

test('if the engine refuses a scheduled job, the path of the error begins with `job`', () => {
  const named = placed(new Failure('address.refused', 'urls: private', { path: 'urls', more: 1 }))
  assert.deepEqual(
    [named.code, named.message, named.details],
    ['address.refused', 'job.urls: private', { path: 'job.urls', more: 1 }],
  )
  const plain = placed(new Failure('input.invalid', 'no'))
  assert.deepEqual([plain.message, plain.details.path], ['job: no', 'job'])
})
