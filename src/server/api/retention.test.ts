// Tests which hosts the API can erase.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patternIn } from './retention.ts'

test('the data of a host, or of all its subdomains, can be erased, but not the data of a path', () => {
  assert.equal(patternIn('Shop.Example'), 'shop.example')
  assert.equal(patternIn('*.shop.example'), '*.shop.example')
  for (const text of ['shop.example/cart', '', 'a b'])
    assert.throws(() => patternIn(text), { code: 'input.invalid', details: { path: 'host' } }, text)
})
