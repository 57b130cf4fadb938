// Tests how errors are shown to the caller.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../model/failures.ts'
import { answerProblem, problemOf as problemFor } from './problems.ts'

const problemOf = (error: unknown) => problemFor(error, { id: 'r1' } as never)
const ofStatus = (statusCode: number, more = {}) =>
  Object.assign(new Error('its own words'), { statusCode, ...more })

test('a failure keeps its code, its message and its field', () => {
  const problem = problemOf(new Failure('input.invalid', 'too large', { path: 'limit', most: 5 }))
  assert.deepEqual(
    [problem.status, problem.code, problem.message, problem.field],
    [422, 'input.invalid', 'too large', 'limit'],
  )
  assert.equal(problem.details.most, 5)
  assert.equal('retryAfter' in problem, false)
})

test('the message of a bug is hidden', () => {
  const { status, code, message } = problemOf(new TypeError('password is undefined'))
  assert.deepEqual([status, code], [500, 'internal.bug'])
  assert.doesNotMatch(message, /password/)
})

test('a feature that is not installed counts as an error of the request', () => {
  assert.equal(problemOf(new Failure('feature.missing', 'x')).status, 422)
})

test('Retry-After is in whole seconds, at least one second, and five seconds if the time is unknown', () => {
  const after = (details = {}) => problemOf(new Failure('server.busy', 'x', details)).retryAfter
  assert.deepEqual([after(), after({ retryAfterMs: 1 }), after({ retryAfterMs: 2_001 })], [5, 1, 3])
  assert.equal(problemOf(ofStatus(429, { retryAfterMs: 4_000 })).retryAfter, 4)
})

test('errors of Fastify keep their HTTP status', () => {
  const told = [400, 404, 405, 408, 413, 414, 415, 429, 503].map(status => problemOf(ofStatus(status)).code)
  assert.deepEqual(told, [
    ...['request.invalid', 'route.unknown', 'method.not-allowed', 'request.too-slow', 'request.too-large'],
    ...['request.invalid', 'request.unsupported', 'request.too-many', 'server.busy'],
  ])
  assert.equal(problemOf(ofStatus(400)).message, 'its own words')
  assert.notEqual(problemOf(ofStatus(415)).message, 'its own words')
  assert.equal(problemOf(ofStatus(418)).code, 'internal.bug')
})

function answered(error: unknown, workspace?: string) {
  const headers: Record<string, string> = {}
  const said = { status: 0, text: '', logged: 0, headers }
  const reply = {
    header: (name: string, value: string) => void Object.assign(headers, { [name]: value }),
    code: (status: number) => {
      said.status = status
      return reply
    },
    type: () => reply,
    send: (text: string) => {
      said.text = text
      return reply
    },
  }
  const log = { error: () => void said.logged++ }
  answerProblem(error, { id: 'r1', log, caller: workspace && { workspace } } as never, reply as never)
  return { ...said, body: JSON.parse(said.text) as { error: Record<string, unknown> } }
}

test('an error response has the id of the request, both in the body and as a header', () => {
  const { body, headers, status } = answered(new Failure('job.unknown', 'there is none'))
  assert.deepEqual([status, body.error.request_id, headers['x-request-id']], [404, 'r1', 'r1'])
})

test('a 401 says how to send a key, and errors of the service are logged', () => {
  const refused = answered(new Failure('request.unauthorized', 'x'))
  assert.deepEqual([refused.headers['www-authenticate'], refused.logged], ['Bearer', 0])
  assert.equal(answered(new Error('x')).logged, 1)
  assert.equal(answered(new Failure('server.busy', 'x')).headers['retry-after'], '5')
})

test('the ids in an error are shown as the caller chose them, however they are stored', async () => {
  const { idIn } = await import('../../model/access.ts')
  const stored = idIn('team', 'my-job')
  const { body } = answered(new Failure('job.unknown', `there is no job "${stored}"`), 'team')
  assert.equal(body.error.message, 'there is no job "my-job"')
})
