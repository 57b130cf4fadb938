// Tests the text that tells people where a field's value comes from.
import assert from 'node:assert/strict'
import test from 'node:test'
import { sourceText } from './field-sources.ts'

test('the provenance of a value names its source', () => {
  assert.equal(sourceText({ from: 'css', by: 'h1' }), 'css h1')
  assert.equal(sourceText({ from: 'page' }), 'page')
})

test('the provenance of a null names its reason and the rules that were tried', () => {
  assert.equal(
    sourceText({ from: 'none', by: '.price', why: 'nothing found by css' }),
    'nothing found by css (.price)',
  )
  assert.equal(sourceText({ from: 'none', why: 'the page does not say' }), 'the page does not say')
})

test('the provenance of an omitted value names the problem with the value', () => {
  assert.equal(
    sourceText({ from: 'css', by: '.age', wrong: 'expected number' }),
    'left out: expected number (css .age)',
  )
})
