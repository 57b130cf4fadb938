// Tests that normalizing a value a second time changes nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Json, RecordData } from '../../src/model/record.ts'
import {
  applyPii,
  normalizeUrl,
  parseEmail,
  parseEmployeeRange,
  parseLocation,
  parsePhone,
  parseSalaryRange,
  stripHtml,
} from '../../src/normalize/index.ts'

const base = 'https://base.example/'
const digits = fc.string({ unit: fc.constantFrom(...'0123456789+-(). kK$€x') })
const markup = fc.string({
  unit: fc.constantFrom('<', '>', '&', 'amp;', 'lt;', 'b', '/', ' ', 'x', '\u0007'),
})
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.lorem(),
  fc.emailAddress(),
  fc.webUrl(),
  digits,
  markup,
)

const normalizers: Record<string, (text: string) => string | null> = {
  'stripped text': stripHtml,
  'a URL': text => normalizeUrl(text, base, { forceHttps: true }),
  'an e-mail address': parseEmail,
  'a phone number': text => parsePhone(text),
  'a phone number of a country': text => parsePhone(text, { country: 'GB' }),
  'a range of employees': parseEmployeeRange,
  'a salary': text => parseSalaryRange(text),
}

for (const [what, normalize] of Object.entries(normalizers)) {
  test(`${what} stays the same when it is normalized again`, () => {
    fc.assert(
      fc.property(anyText, text => {
        const once = normalize(text)
        if (once !== null) assert.equal(normalize(once), once)
      }),
      { numRuns: 1_000, examples: [['3.0020'], ['$12.0020+'], ['0.0000001'], ['-0-0']] },
    )
  })
}

test('a location stays the same when its text is parsed again', () => {
  fc.assert(
    fc.property(anyText, text => {
      const once = parseLocation(text)
      assert.deepEqual(parseLocation(once.raw!), once)
    }),
  )
})

test('a record without personal data stays the same when it is checked again', () => {
  const data = fc.dictionary(fc.constantFrom('text', 'phone', 'email'), fc.oneof(anyText, fc.jsonValue()))
  fc.assert(
    fc.property(data, fc.constantFrom('mask' as const, 'drop' as const), (record, mode) => {
      const once = applyPii(record as Record<string, Json> as RecordData, mode)
      assert.deepEqual(applyPii(once, mode), once)
    }),
    { numRuns: 500 },
  )
})
