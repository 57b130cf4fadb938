// Tests what cleaning removes from a text, and what it keeps.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cleanText, cutControls, withSingleSpaces } from './clean-text.ts'

test('whitespace of any kind becomes one space and the ends are trimmed', () => {
  assert.equal(cleanText('  a\n\t b\u00a0\u2003c\r\n'), 'a b c')
  assert.equal(cleanText('\u200b'), '')
  assert.equal(cleanText(''), '')
})

test('every run of white space becomes one space, as with a plain regular expression', () => {
  const text = fc.string({ unit: fc.constantFrom(...' \n\t\r\x85\u00a0\u2003\ufeffab') })
  fc.assert(
    fc.property(text, given => {
      assert.equal(withSingleSpaces(given), given.replace(/\s+/g, ' '))
      assert.equal(
        cleanText(given),
        given
          .replace(/\ufeff/g, '')
          .replace(/[\s\x85]+/g, ' ')
          .trim(),
      )
    }),
  )
})

test('terminal escape sequences are removed completely', () => {
  assert.equal(cleanText('\x1b]0;pwn\x07\x1b[2Jtitle'), 'title')
  assert.equal(cleanText('\x1b[31mred\x1b[0m \x9b1mbold'), 'red bold')
})

test('control characters are removed, line breaks only if one line is requested', () => {
  assert.equal(cutControls('a\0b\x7f\nc\ufeff'), 'ab\nc')
  assert.equal(cleanText('a\0b\x7f\nc'), 'ab c')
})

test('invisible characters do not split words', () => {
  assert.equal(cleanText('role_\u200bauthorizations\u2060'), 'role_authorizations')
  assert.equal(cleanText('Donau\u00addampf'), 'Donaudampf')
})

test('cleaning a cleaned text changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const once = cleanText(text)
      assert.equal(cleanText(once), once)
      assert.doesNotMatch(once, /[\0-\x1f\x7f-\x9f]|^\s|\s$|\s\s/)
    }),
  )
})
