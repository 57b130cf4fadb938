// Tests errors on the WebSocket of a job, and how the caller's key is found.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure, type FailureCode } from '../../../model/failures.ts'
import { callerOf, codeOf, isWatcher, reasonOf, wordsOf } from './job-socket.ts'

const failure = (code: FailureCode) => new Failure(code, 'detail of the failure')

test('the details of a bug are hidden, and other error messages are shown', () => {
  assert.doesNotMatch(wordsOf(failure('internal.bug')), /detail/)
  assert.equal(wordsOf(failure('job.unknown')), 'Job not found')
  assert.match(wordsOf(failure('request.forbidden')), /detail/)
})

test('unknown jobs, missing keys and missing scopes have separate close codes', () => {
  const codes = (['job.unknown', 'request.unauthorized', 'request.forbidden', 'internal.bug'] as const).map(
    code => codeOf(failure(code)),
  )
  assert.equal(new Set(codes).size, 4)
})

test('a close reason fits into 123 bytes and stays JSON', () => {
  for (const error of ['short', 'x'.repeat(500), 'ü'.repeat(500), '"'.repeat(500)]) {
    const text = reasonOf({ type: 'error', error })
    assert.ok(Buffer.byteLength(text) <= 123, text)
    assert.equal(JSON.parse(text).type, 'error')
  }
  assert.equal(JSON.parse(reasonOf({ type: 'error', error: 'short' })).error, 'short')
})

test('the key is the first sub-protocol, or a bearer token', async () => {
  const keyOf = (headers: object) =>
    callerOf(
      { admit: async (key: string | null) => key } as never,
      { headers } as never,
    ) as unknown as Promise<string>
  assert.equal(await keyOf({ 'sec-websocket-protocol': 'ks_1, other', authorization: 'Bearer ks_2' }), 'ks_1')
  assert.equal(await keyOf({ authorization: 'Bearer ks_2' }), 'ks_2')
  assert.equal(await keyOf({ authorization: 'Basic abc' }), null)
})

test('only a GET of a job that asks for a WebSocket starts a watcher', () => {
  const asks = (method: string, url: string, upgrade?: string) =>
    isWatcher({ method, url, headers: { ...(upgrade && { upgrade }) } } as never)
  assert.equal(asks('GET', '/v1/crawl/job-1', 'websocket'), true)
  assert.equal(asks('GET', '/v1/crawl/job-1', 'h2c'), false)
  assert.equal(asks('GET', '/jobs', 'websocket'), false)
  assert.equal(asks('POST', '/v1/crawl/job-1', 'websocket'), false)
})
