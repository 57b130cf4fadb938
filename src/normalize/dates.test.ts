// Dates in many hands.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseDate } from './dates.ts'

const cases: Array<[text: string, iso: string | null]> = [
  ['2024-01-31', '2024-01-31'],
  ['2024-01-31 10:00', '2024-01-31T10:00:00'],
  ['2024-01-31T10:00:00+02:00', '2024-01-31T08:00:00.000Z'],
  ['Mon, 15 Jan 2024 10:00:00 GMT', '2024-01-15T10:00:00.000Z'],
  ['Published: March 5, 2024 at 9:05 AM EST', '2024-03-05T14:05:00.000Z'],
  ['Jan 5th 2024', '2024-01-05'],
  ['5. Januar 2024', '2024-01-05'],
  ['5 de enero de 2024', '2024-01-05'],
  ['le 1er janvier 2024 à 14h05', '2024-01-01T14:05:00'],
  ['5 марта 2024 г.', '2024-03-05'],
  ['2024年1月31日', '2024-01-31'],
  ['20240131', '2024-01-31'],
  ['5.1.24', '2024-01-05'],
  ['13/04/2024', '2024-04-13'],
  ['04/13/2024', '2024-04-13'],
  ['1706659200', '2024-01-31T00:00:00.000Z'],
  ['January 2024', '2024-01'],
  ['2024', '2024'],
  ['30 Feb 2024', null],
  ['2024-13-01', null],
  ['31 Jan', null],
  ['you may 5 see 2024', null],
  ['12:30', null],
  ['soon', null],
]
for (const [text, iso] of cases) {
  test(`"${text}" is ${iso ?? 'no date'}`, () => assert.equal(parseDate(text), iso))
}

test('an ambiguous date is day first, except in American English', () => {
  assert.equal(parseDate('03/04/2024'), '2024-04-03')
  assert.equal(parseDate('03/04/2024', { language: 'en-GB' }), '2024-04-03')
  assert.equal(parseDate('03/04/2024', { language: 'en-US' }), '2024-03-04')
  assert.equal(parseDate('03.04.2024', { language: 'en-US' }), '2024-04-03')
})

test('a day written out by a known locale is read back', () => {
  const locales = [
    'en-US',
    'en-GB',
    'de',
    'fr',
    'es',
    'it',
    'pt',
    'nl',
    'sv',
    'da',
    'nb',
    'pl',
    'ru',
    'cs',
    'ja',
  ]
  const day = fc.date({ min: new Date('1971-01-01'), max: new Date('2068-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(fc.constantFrom(...locales), day, (locale, date) => {
      const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
      assert.equal(parseDate(format.format(date), { language: locale }), date.toISOString().slice(0, 10))
    }),
  )
})
