// Tests parsing e-mail addresses and phone numbers in the notations of pages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEmail } from './emails.ts'
import { parsePhone } from './phones.ts'

const emails: Array<[written: string, read: string | null]> = [
  ['Write to John.Doe@Example.COM now', 'John.Doe@example.com'],
  ['mailto:a%40B.example?subject=Hello', 'a@b.example'],
  ['mailto:%zz@b.example', null],
  ['john [at] example [dot] com', 'john@example.com'],
  ['john(at)example.co.uk', 'john@example.co.uk'],
  ['info at acme dot co dot uk', 'info@acme.co.uk'],
  ['a@b.co.uk.', 'a@b.co.uk'],
  ['jörg@bücher.example', 'jörg@bücher.example'],
  ['look at this', null],
  ['logo@2x.png', null],
  ['@handle', null],
]
for (const [written, read] of emails) {
  test(`"${written}" is parsed as ${read ?? 'no e-mail address'}`, () => {
    assert.equal(parseEmail(written), read)
  })
}

const phones: Array<[written: string, country: string | null, read: string | null]> = [
  ['+1 (415) 555-0123', null, '+14155550123'],
  ['tel:+49-30-1234567', null, '+49301234567'],
  ['+44 (0)20 7946 0958', null, '+442079460958'],
  ['00 49 30 123456', null, '+4930123456'],
  ['1-800-555-0123', null, '+18005550123'],
  ['1-800-555-0123 ext. 5', null, '+18005550123;ext=5'],
  ['(602) 555-0100', null, '602 555 0100'],
  ['(602) 555-0100', 'US', '+16025550100'],
  ['020 7946 0958', 'GB', '+442079460958'],
  ['06 6982 1234', 'IT', '+390669821234'],
  ['Telefon: 030/123456-78', 'DE', '+493012345678'],
  ['٠٣٠ ١٢٣ ٤٥٦٧', null, '030 123 4567'],
  ['2024-01-15', null, null],
  ['12345', null, null],
  ['call us', null, null],
]
for (const [written, country, read] of phones) {
  test(`"${written}"${country ? ` in ${country}` : ''} is parsed as ${read ?? 'no phone number'}`, () => {
    assert.equal(parsePhone(written, { country }), read)
  })
}
