// Where a field came from, as people read it.
import assert from 'node:assert/strict'
import test from 'node:test'
import { sourceText } from './field-sources.ts'

test('a value names what gave it', () => {
  assert.equal(sourceText({ from: 'css', by: 'h1' }), 'css h1')
  assert.equal(sourceText({ from: 'page' }), 'page')
})

test('a null says why, and what was looked for', () => {
  assert.equal(
    sourceText({ from: 'none', by: '.price', why: 'nothing found by css' }),
    'nothing found by css (.price)',
  )
  assert.equal(sourceText({ from: 'none', why: 'the page does not say' }), 'the page does not say')
})

test('a value that was left out says what was wrong with it', () => {
  assert.equal(
    sourceText({ from: 'css', by: '.age', wrong: 'expected number' }),
    'left out: expected number (css .age)',
  )
})
