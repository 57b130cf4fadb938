// Tests that failure codes and error names map one to one, and that every documented name exists.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorNameOf, errorNames, failureCodeOf } from './error-names.ts'
import { type FailureCode, failures } from './failures.ts'

const codes = Object.keys(failures) as FailureCode[]

/** The documented error names, each with its HTTP status. */
const promised: Record<string, number> = {
  ValidationError: 422,
  AuthenticationError: 401,
  PoolExhaustedError: 503,
  QueueFullError: 429,
  CircuitOpenError: 503,
  NoHealthyProxiesError: 503,
  CredentialNotFoundError: 424,
  TaskNotFoundError: 404,
  JobNotFoundError: 404,
  TaskTimeoutError: 504,
  TimeoutError: 504,
  NavigationError: 502,
  CaptchaError: 403,
}

test('every failure code has one error name, and no two codes share a name', () => {
  const names = codes.map(errorNameOf)
  assert.equal(new Set(names).size, codes.length)
  for (const name of names) assert.match(name, /^[A-Z][A-Za-z]+Error$/)
  for (const code of codes) assert.equal(failureCodeOf(errorNames[code]), code)
})

for (const [name, status] of Object.entries(promised))
  test(`${name} is a failure with status ${status}`, () => {
    const code = failureCodeOf(name)
    assert.ok(code, 'there is no code of that name')
    assert.equal(failures[code].http, status)
  })

test('an unknown error name has no failure code', () => {
  assert.equal(failureCodeOf('NoSuchError'), null)
})
