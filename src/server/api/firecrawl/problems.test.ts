// Tests errors in Firecrawl's form.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure, type FailureCode } from '../../../model/failures.ts'
import { problemOf } from '../../http/problems.ts'
import { answerTheirProblem, renderProblem } from './problems.ts'

const rendered = (code: FailureCode, details = {}) =>
  renderProblem(problemOf(new Failure(code, 'what happened', details), {} as never))

test('a failure gets Firecrawl’s code if Firecrawl has one, or the common code for failures of a site; other failures keep the code of kscrape', () => {
  assert.equal(rendered('input.invalid').code, 'BAD_REQUEST')
  assert.equal(rendered('dns.failed').code, 'SCRAPE_DNS_RESOLUTION_ERROR')
  assert.equal(rendered('connect.refused').code, 'SCRAPE_SITE_ERROR')
  assert.equal(rendered('robots.disallowed').code, 'SCRAPE_SITE_ERROR')
  assert.equal(rendered('request.forbidden').code, 'request.forbidden')
})

test('the message for an unknown job is Firecrawl’s, messages of other failures are those of kscrape', () => {
  assert.equal(rendered('job.unknown').error, 'Job not found')
  assert.equal(rendered('dns.failed').error, 'what happened')
  assert.equal(rendered('dns.failed').success, false)
})

test('problems of single fields are returned as details', () => {
  const problems = [{ path: 'limit', message: 'too large' }]
  assert.deepEqual(rendered('input.invalid', { problems }).details, problems)
  assert.equal('details' in rendered('input.invalid'), false)
})

function answered(error: unknown) {
  const headers: Record<string, string> = {}
  let status = 0
  const reply = {
    header: (name: string, value: string) => void Object.assign(headers, { [name]: value }),
    code: (code: number) => {
      status = code
      return reply
    },
    type: () => reply,
    send: () => reply,
  }
  answerTheirProblem(error, { log: { error: () => {} } } as never, reply as never)
  return { status, headers }
}

test('502 and 504 become 500, because the client would retry them at once; 503 stays, and tells the client how long to wait', () => {
  assert.equal(answered(new Failure('connect.refused', 'x')).status, 500)
  assert.equal(answered(new Failure('fetch.timeout', 'x')).status, 408)
  const busy = answered(new Failure('server.busy', 'x', { retryAfterMs: 1_500 }))
  assert.deepEqual([busy.status, busy.headers['retry-after']], [503, '2'])
})

test('an idempotency key used for another request is a conflict', () => {
  assert.equal(answered(new Failure('input.invalid', 'x', { path: 'Idempotency-Key' })).status, 409)
  assert.equal(answered(new Failure('input.invalid', 'x', { path: 'limit' })).status, 400)
})
