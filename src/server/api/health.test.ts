// Tests which clients get metrics as JSON.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wantsJson } from './health.ts'

test('metrics are sent as JSON only to clients that accept JSON and no text', () => {
  assert.equal(wantsJson('application/json'), true)
  for (const accept of [
    undefined,
    '',
    '*/*',
    'text/plain',
    'application/openmetrics-text; version=1.0.0, text/plain;q=0.5, */*;q=0.1',
  ])
    assert.equal(wantsJson(accept), false, accept)
})
