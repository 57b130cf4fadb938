// Tests that network errors become failure codes, and that messages contain no address.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FailureCode } from '../../model/failures.ts'
import { failureOf } from './classify.ts'

const progress = {
  target: 'example.com:443',
  gotHeaders: false,
  timeouts: { connectMs: 1, headersMs: 2, idleMs: 3 },
}
const systemError = (code: string, syscall: string) =>
  Object.assign(new Error(`${syscall} ${code} 10.1.2.3:443`), { code, syscall })

const meanings: [code: string, syscall: string, FailureCode][] = [
  ['ECONNREFUSED', 'connect', 'connect.refused'],
  ['EHOSTUNREACH', 'connect', 'connect.failed'],
  ['EMFILE', 'connect', 'worker.exhausted'],
  ['ETIMEDOUT', 'connect', 'connect.timeout'],
  ['ETIMEDOUT', 'read', 'connection.lost'],
  ['ECONNRESET', 'read', 'connection.lost'],
  ['EPIPE', 'write', 'connection.lost'],
  ['ENOTFOUND', 'getaddrinfo', 'dns.not-found'],
  ['EAI_AGAIN', 'getaddrinfo', 'dns.failed'],
  ['EAI_SYSTEM', 'getaddrinfo', 'dns.failed'],
  ['CERT_HAS_EXPIRED', '', 'tls.failed'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', '', 'tls.failed'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', '', 'tls.failed'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', '', 'tls.failed'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', '', 'tls.failed'],
  ['EPROTO', 'write', 'tls.failed'],
  ['ERR_HTTP2_STREAM_ERROR', '', 'connection.lost'],
  ['EWHATEVER', 'connect', 'connect.failed'],
]

for (const [code, syscall, expected] of meanings) {
  test(`${code} ${syscall} becomes ${expected}, and the message has no address`, () => {
    const failure = failureOf(systemError(code, syscall), progress)
    assert.equal(failure.code, expected)
    assert.match(failure.message, /^example\.com:443 /)
    assert.doesNotMatch(JSON.stringify(failure), /10\.1\.2\.3/)
  })
}

test('if every address of a host name fails, the first reason is reported', () => {
  const all = new AggregateError([
    systemError('ECONNREFUSED', 'connect'),
    systemError('ENETUNREACH', 'connect'),
  ])
  assert.equal(failureOf(all, progress).code, 'connect.refused')
})

test('an unexpected error is a bug, with its cause', () => {
  const bug = new TypeError('x is not a function')
  const failure = failureOf(bug, progress)
  assert.equal(failure.code, 'internal.bug')
  assert.equal(failure.cause, bug)
})
