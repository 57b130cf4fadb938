// Tests the normal form of percent-encoding.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { decodePercent, normalizePercent } from './percent-encoding.ts'

test('characters that need no encoding are decoded, and other encodings get upper-case hex', () => {
  assert.equal(normalizePercent('/%7ejoe/%41%2d%5f/%2f%c3%a9'), '/~joe/A-_/%2F%C3%A9')
})

test('a percent sign that encodes nothing never becomes part of an encoded character', () => {
  assert.equal(normalizePercent('%%341'), '%%341')
  assert.equal(normalizePercent('100%'), '100%')
})

test('normalizing percent-encoding twice changes nothing', () => {
  const text = fc
    .array(fc.constantFrom('%', '%4', '%41', '%2f', '3', '1', 'a', 'F'))
    .map(parts => parts.join(''))
  fc.assert(
    fc.property(text, raw => assert.equal(normalizePercent(normalizePercent(raw)), normalizePercent(raw))),
  )
})

test('text with invalid percent-encoding stays unchanged', () => {
  assert.equal(decodePercent('p%40ss'), 'p@ss')
  for (const text of ['100%', '%zz', '%E4', 'plain']) assert.equal(decodePercent(text), text)
})
