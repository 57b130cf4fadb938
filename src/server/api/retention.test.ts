// Which hosts can be erased by the API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patternIn } from './retention.ts'

test('a host or all its subdomains can be erased, a path cannot', () => {
  assert.equal(patternIn('Shop.Example'), 'shop.example')
  assert.equal(patternIn('*.shop.example'), '*.shop.example')
  for (const text of ['shop.example/cart', '', 'a b'])
    assert.throws(() => patternIn(text), { code: 'input.invalid', details: { path: 'host' } }, text)
})
