// Tests parsing dates in many formats.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseDate } from './dates.ts'

const cases: Array<[text: string, iso: string | null]> = [
  ['2024-01-31', '2024-01-31'],
  ['2024-01-31 10:00', '2024-01-31T10:00:00'],
  ['2024-01-31T10:00:00+02:00', '2024-01-31T10:00:00+02:00'],
  ['Mon, 15 Jan 2024 10:00:00 GMT', '2024-01-15T10:00:00.000Z'],
  ['Published: March 5, 2024 at 9:05 AM EST', '2024-03-05T09:05:00-05:00'],
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
  test(`"${text}" is parsed as ${iso ?? 'no date'}`, () => assert.equal(parseDate(text), iso))
}

const fetched = Date.UTC(2024, 2, 13, 9)
const withNow: Array<[text: string, iso: string | null, language?: string]> = [
  ['yesterday', '2024-03-12'],
  ['Yesterday at 10:30', '2024-03-12'],
  ['3 days ago', '2024-03-10'],
  ['Posted 2 weeks ago', '2024-02-28'],
  ['an hour ago', '2024-03-13'],
  ['a month ago', '2024-02-13'],
  ['vor 2 Tagen', '2024-03-11', 'de'],
  ['vor einem Jahr', '2023-03-13', 'de'],
  ['il y a 3 jours', '2024-03-10'],
  ['há 4 dias', '2024-03-09'],
  ['hace 5 horas', '2024-03-13'],
  ['3日前', '2024-03-10'],
  ['昨天', '2024-03-12'],
  ['어제', '2024-03-12'],
  ['٣ أيام', null],
  ['قبل 3 أيام', '2024-03-10'],
  ['вчера', '2024-03-12'],
  ['5 March', '2024-03-05'],
  ['24 décembre', '2024-12-24'],
  ['Monday', '2024-03-11'],
  ['Mittwoch, 08:15', '2024-03-06'],
  ['3月5日', '2024-03-05'],
  ['09:41', '2024-03-13'],
  ['in 3 days', null],
  ['12 comments', null],
]
for (const [text, iso, language] of withNow) {
  test(`"${text}" on 13 March 2024 is parsed as ${iso ?? 'no date'}`, () =>
    assert.equal(parseDate(text, { now: fetched, language: language ?? null }), iso))
}

test('if a date without a year must be in the past, its year is chosen so that it is not after the fetch', () => {
  const hints = { now: Date.UTC(2024, 0, 3), past: true }
  assert.equal(parseDate('28 December', hints), '2023-12-28')
  assert.equal(parseDate('2 January', hints), '2024-01-02')
})

const inManyLanguages: Array<[text: string, iso: string]> = [
  ['8 ноября 2019 г., пятница', '2019-11-08'],
  ['9 верес. 2018', '2018-09-09'],
  ['2017-кві-03', '2017-04-03'],
  ['2013 წლის 4 აპრილი', '2013-04-04'],
  ['7 ธันวาคม 2561', '2018-12-07'],
  ['1 เดือนมีนาคม 2019', '2019-03-01'],
  ['11 ก.ค. 2020', '2020-07-11'],
  ['১২ ডিসেম্বর ২০১৪', '2014-12-12'],
  ['12 जनवरी 1997', '1997-01-12'],
  ['Tháng Mười Một 29, 2013', '2013-11-29'],
  ['5 tháng 3, 2024', '2024-03-05'],
  ['ngày 5 tháng 3 năm 2024', '2024-03-05'],
  ['۱۱ دی ۱۳۸۱', '2003-01-01'],
  ['۱۴۰۲/۱۲/۲۹', '2024-03-19'],
  ['٥ مارس ٢٠٢٤', '2024-03-05'],
  ['5 במרץ 2024', '2024-03-05'],
  ['čtv 14. lis 2013', '2013-11-14'],
  ['fév 15, 2013', '2013-02-15'],
  ['2003. gada 1. janvāris', '2003-01-01'],
  ['1978, 1 Peb, 7:05 PM', '1978-02-01'],
  ['2024년 3월 5일', '2024-03-05'],
]
for (const [text, iso] of inManyLanguages) {
  test(`"${text}" is parsed as ${iso}`, () => assert.equal(parseDate(text)?.slice(0, 10), iso))
}

test('no time zone changes the day that a page shows', () => {
  assert.equal(parseDate('2024-03-05T00:30:00+09:00'), '2024-03-05T00:30:00+09:00')
  assert.equal(parseDate('2024-03-05T23:30:00-08:00'), '2024-03-05T23:30:00-08:00')
})

test('an ambiguous date starts with the day, except in American English', () => {
  assert.equal(parseDate('03/04/2024'), '2024-04-03')
  assert.equal(parseDate('03/04/2024', { language: 'en-GB' }), '2024-04-03')
  assert.equal(parseDate('03/04/2024', { language: 'en-US' }), '2024-03-04')
  assert.equal(parseDate('03.04.2024', { language: 'en-US' }), '2024-04-03')
  assert.equal(parseDate('03/04/2024', { language: 'en-US', region: 'AU' }), '2024-04-03')
})

test('a date is parsed if it is written out in a known locale', () => {
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
