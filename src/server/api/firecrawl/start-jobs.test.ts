// Tests the idempotency keys of batches and crawls.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idempotencyKeyIn } from './start-jobs.ts'

test('an idempotency key is visible ASCII', () => {
  const keyIn = (key?: string | string[]) =>
    idempotencyKeyIn({ headers: { 'x-idempotency-key': key } } as never)
  assert.deepEqual([keyIn(), keyIn(''), keyIn('abc-1')], [undefined, undefined, 'abc-1'])
  assert.equal(keyIn('x'.repeat(255))?.length, 255)
  for (const key of ['a b', 'ü', 'x'.repeat(256)])
    assert.throws(() => keyIn(key), { code: 'input.invalid' }, key)
})
