// Tests the JSON envelope of responses of the scrape API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { enveloped, renderProblem } from './envelope.ts'

const request = (clientRequestId: string | null = null) => ({ id: 'r-1', clientRequestId }) as never
const problem = (change: object = {}) =>
  ({ code: 'input.invalid', message: 'wrong', details: {}, status: 422, ...change }) as never

test('a response has the request id of the service, and also the caller’s id if there is one', () => {
  assert.deepEqual(enveloped(1, request()), { success: true, data: 1, error: null, requestId: 'r-1' })
  assert.equal((enveloped(1, request('mine')) as { clientRequestId?: string }).clientRequestId, 'mine')
})

test('an error response lists the invalid fields', () => {
  const one = renderProblem(problem({ field: 'url' }), request()).error.details as Record<string, unknown>
  assert.deepEqual(one, { field: 'url', errors: [{ field: 'url', message: 'wrong' }] })
  const problems = [
    { path: 'url', message: 'a' },
    { path: 'options', message: 'b' },
  ]
  const many = renderProblem(problem({ field: 'url', details: { problems } }), request()).error.details
  assert.deepEqual((many as { errors: unknown }).errors, [
    { field: 'url', message: 'a' },
    { field: 'options', message: 'b' },
  ])
})

test('only documented details are returned', () => {
  const { details } = renderProblem(
    problem({ details: { jobId: 'j', taskId: 't', host: 'h', path: 'p' } }),
    request(),
  ).error
  assert.deepEqual(details, { jobId: 'j', taskId: 't' })
  const later = renderProblem(problem({ retryAfter: 7 }), request()).error.details
  assert.deepEqual(later, { retryAfterS: 7 })
})
