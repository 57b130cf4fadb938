// Tests that personal data in records is found and masked or removed, and that other numbers are not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyPii, withoutPii } from './pii.ts'

const mask = (text: string) => applyPii({ text }, 'mask').text
const drop = (text: string) => applyPii({ text }, 'drop').text

const personal: Array<[written: string, masked: string]> = [
  ['john.doe@mail.example.com', 'j***@m***.com'],
  ['x [at] y [dot] com', 'x***@y***.com'],
  ['jane%40doe.example', 'j***@d***.example'],
  ['+1 (602) 555-0100', '+* (***) ***-**00'],
  ['+442079460958', '+**********58'],
  ['602.555.0100', '***.***.**00'],
  ['01 23 45 67 89', '** ** ** ** 89'],
  ['4111 1111 1111 1111', '**** **** **** 1111'],
  ['378282246310005', '***********0005'],
  ['DE89 3704 0044 0532 0130 00', 'DE** **** **** **** **30 00'],
  ['GB82WEST12345698765432', 'GB****************5432'],
  ['123-45-6789', '***-**-6789'],
  ['203.0.113.77', '203.0.*.*'],
  ['2001:db8::ff00:42:8329', '2001:***'],
]
for (const [written, masked] of personal) {
  test(`${written} is masked in place, removed from a text, or dropped if it is the whole value`, () => {
    assert.equal(mask(`See ${written}, please`), `See ${masked}, please`)
    assert.equal(drop(`See ${written}, please`), 'See [removed], please')
    assert.equal(drop(written), null)
  })
}

test('numbers and words that are not personal data are not masked', () => {
  const others = [
    '$1,234.56',
    '2024-01-15',
    '03/04/2024',
    'ISBN 978-3-16-148410-0',
    'version 1.2.3.4',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0.0.0 Safari/537.36',
    'Chrome 131.0.0.0',
    'OpenSSL/3.0.2.1',
    'Version=4.0.0.0, Culture=neutral',
    'build 10.0.1.5',
    'Firefox 115.0.1.2',
    '10.0.0.0/8',
    '12:30:45',
    'std::abs(x)',
    '4111 1111 1111 1112',
    'DE89 3704 0044 0532 0130 01',
    '000-12-3456',
    '999.1.1.1',
    'logo@2x.png',
    'react@18.2.0',
    '1 000 000 000',
    '2019-2024',
    '0.123456789',
    'from +5 to +10 points',
  ]
  assert.deepEqual(applyPii({ others }, 'mask'), { others })
  assert.deepEqual(applyPii({ others }, 'drop'), { others })
})

test('masked values are listed by field and kind', () => {
  const data = {
    contact_email: 'a@b.example',
    staff: [{ phone: 5550100, note: 'c@d.example or e@f.example' }],
  }
  assert.deepEqual(withoutPii(data, 'mask').found, [
    { field: 'contact_email', kind: 'email', count: 1 },
    { field: 'staff.phone', kind: 'number', count: 1 },
    { field: 'staff.note', kind: 'email', count: 2 },
  ])
  assert.deepEqual(withoutPii(data, 'keep'), { data, found: [] })
})

test('a word in capital letters after an IBAN is not masked', () => {
  assert.equal(mask('DE89370400440532013000 BIC COBADEFF'), 'DE****************3000 BIC COBADEFF')
})

test('URLs keep their host and their numbers; only e-mail addresses in them are masked', () => {
  const url = 'https://user@host.example:8080/p/6025550100?ip=203.0.113.7'
  assert.equal(mask(`at ${url}, call 602-555-0100`), `at ${url}, call ***-***-**00`)
  assert.equal(mask(`${url}&to=jane@doe.example`), `${url}&to=j***@d***.example`)
  assert.equal(mask('http://203.0.113.7/'), 'http://203.0.113.7/')
  assert.equal(mask('[write](mailto:jane@doe.example)'), '[write](mailto:j***@d***.example)')
})

test('values at any depth are checked, and a field name like "telephone" marks its number as personal data', () => {
  const data = {
    a: [{ b: { telephone: '555-0100', faxNumber: 'none', phone: 6_025_550_100, count: 6_025_550_100 } }],
  }
  assert.deepEqual(applyPii(data, 'mask'), {
    a: [{ b: { telephone: '***-**00', faxNumber: 'none', phone: '********00', count: 6_025_550_100 } }],
  })
  assert.deepEqual(applyPii(data, 'drop'), {
    a: [{ b: { telephone: null, faxNumber: 'none', phone: null, count: 6_025_550_100 } }],
  })
  assert.equal(data.a[0]!.b.telephone, '555-0100', 'the given record must not change')
})

test('a record without changes is returned as the same object', () => {
  const data = { text: 'jane@doe.example' }
  assert.equal(applyPii(data, 'keep'), data)
})
