// Tests that a copied text equals the original.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flatText } from './flat-text.ts'

test('a copied text equals the original, whatever its length', () => {
  for (const text of ['', 'https://a.example/x', 'x'.repeat(8_192), 'x'.repeat(8_193)])
    assert.equal(flatText(text), text)
})

test('a copied text stays unchanged when another text is copied', () => {
  const first = flatText('first')
  flatText('other')
  assert.equal(first, 'first')
})
