// URLs and keys of batches and crawls.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idempotencyKeyIn, sorted } from './starting.ts'

test('a URL without a scheme is https', () => {
  assert.deepEqual(sorted(['a.example/x', 'http://b.example/'], false), {
    ...{ valid: ['https://a.example/x', 'http://b.example/'], invalid: [] },
  })
})

test('invalid URLs are listed if they may be ignored, and refused otherwise', () => {
  assert.deepEqual(sorted(['a.example', 'ftp://b.example/'], true).invalid, ['ftp://b.example/'])
  assert.throws(() => sorted(['a.example', 'ftp://b.example/'], false), {
    code: 'input.invalid',
    message: /ftp:\/\/b\.example/,
  })
  assert.throws(() => sorted(['ftp://b.example/'], true), { code: 'input.invalid' })
})

test('an idempotency key is visible ASCII', () => {
  const keyIn = (key?: string | string[]) =>
    idempotencyKeyIn({ headers: { 'x-idempotency-key': key } } as never)
  assert.deepEqual([keyIn(), keyIn(''), keyIn('abc-1')], [undefined, undefined, 'abc-1'])
  assert.equal(keyIn('x'.repeat(255))?.length, 255)
  for (const key of ['a b', 'ü', 'x'.repeat(256)])
    assert.throws(() => keyIn(key), { code: 'input.invalid' }, key)
})
