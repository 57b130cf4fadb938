// Tests host policies whose values contradict each other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuseImpossible } from './index.ts'

test('the error for a minimum above its maximum names the field', () => {
  refuseImpossible({ actionDelayMs: { min: 1, max: 2 } })
  assert.throws(() => refuseImpossible({ actionDelayMs: { min: 3, max: 2 } }), {
    code: 'input.invalid',
    message: /action_delay_ms/,
  })
})
