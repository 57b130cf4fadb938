// Tests suggestions for misspelt words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { didYouMean, suggest } from './suggest.ts'

const known = ['css', 'xpath', 'jsonld', 'many', 'default', 'fields']

test('a misspelt word gets the intended word as a suggestion', () => {
  assert.equal(suggest('xpaht', known), 'xpath')
  assert.equal(suggest('json_ld', known), 'jsonld')
  assert.equal(suggest('Feilds', known), 'fields')
  assert.equal(suggest('cs', known), 'css')
})

test('a word without a similar one has no suggestion', () => {
  assert.equal(suggest('selector', known), null)
  assert.equal(didYouMean('selector', known), '')
})

test('a suggestion is written as the end of a sentence', () => {
  assert.equal(didYouMean('defualt', known), ' (did you mean "default"?)')
})
