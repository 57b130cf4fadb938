// Tests that a session id belongs to one key and cannot be forged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newSessionId, readSessionId } from './session-ids.ts'

const secret = Buffer.from('the secret of the service')

test('a session id contains the capabilities of its client', () => {
  for (const elicits of [true, false])
    assert.deepEqual(readSessionId(secret, 'key-1', newSessionId(secret, 'key-1', { elicits })), { elicits })
})

test('a session id is refused with another key, with another secret, or if it was changed', () => {
  const id = newSessionId(secret, 'key-1', { elicits: false })
  assert.equal(readSessionId(secret, 'key-2', id), null)
  assert.equal(readSessionId(Buffer.from('another'), 'key-1', id), null)
  assert.equal(readSessionId(secret, 'key-1', id.replace('.p.', '.e.')), null)
  assert.equal(readSessionId(secret, 'key-1', 'nonsense'), null)
})
