// Tests parsing numbers in the notations of many locales.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseInteger, parseNumber } from './numbers.ts'

const cases: Array<[text: string, value: number | null]> = [
  ['1,299.50', 1299.5],
  ['1.299,50', 1299.5],
  ['1 299,50', 1299.5],
  ["1'299.50", 1299.5],
  ['12,345,678', 12345678],
  ['1,23,456', 123456],
  ['0.123', 0.123],
  ['4.7 out of 5', 4.7],
  ['12 %', 12],
  ['-5', -5],
  ['−5', -5],
  ['-0', 0],
  ['(5.00)', -5],
  ['pages 3-4', 3],
  ['3 10', 3],
  ['1.2K reviews', 1200],
  ['3M', 3_000_000],
  ['5 km', 5],
  ['1e-3', 0.001],
  ['٣٫١٤', 3.14],
  ['none', null],
  ['', null],
]
for (const [text, value] of cases) {
  test(`"${text}" is parsed as ${value}`, () => assert.equal(parseNumber(text), value))
}

test('the language of the page decides whether a single group of three digits is a fraction', () => {
  assert.equal(parseNumber('1.299'), 1.299)
  assert.equal(parseNumber('1.299', { language: 'de' }), 1299)
  assert.equal(parseNumber('1.299', { language: 'de-CH' }), 1.299)
  assert.equal(parseNumber('1,299'), 1299)
  assert.equal(parseNumber('1,299', { language: 'fr' }), 1.299)
})

test('a machine-readable number has a decimal point in any language', () => {
  assert.equal(parseNumber('1.299', { language: 'de', machine: true }), 1.299)
})

test('an integer is parsed with or without separators between its groups of digits', () => {
  assert.equal(parseInteger('1.299 Stück'), 1299)
  assert.equal(parseInteger('12 left'), 12)
  assert.equal(parseInteger('4.7'), null)
  assert.equal(parseInteger('99999999999999999999'), null)
})

test('any number formatted in a known locale is parsed', () => {
  const locales = ['en-US', 'de-DE', 'fr-FR', 'sv-SE', 'en-IN', 'de-CH', 'pt-BR', 'ar-EG', 'fa-IR']
  fc.assert(
    fc.property(fc.constantFrom(...locales), fc.integer({ min: 0, max: 99_999_999 }), (locale, cents) => {
      const value = cents / 100
      const written = new Intl.NumberFormat(locale, { minimumFractionDigits: 2 }).format(value)
      assert.equal(parseNumber(written, { language: locale }), value)
    }),
  )
})
