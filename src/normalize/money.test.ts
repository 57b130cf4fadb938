// Tests parsing prices in many currencies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Money, parseMoney } from './money.ts'

const cases: Array<[text: string, amount: number, currency: string | null]> = [
  ['€ 1.299,00', 1299, 'EUR'],
  ['$1,299.00', 1299, 'USD'],
  ["CHF 1'299.–", 1299, 'CHF'],
  ['1.299 €', 1299, 'EUR'],
  ['12,99 EUR/Monat', 12.99, 'EUR'],
  ['₹1,23,456.00', 123456, 'INR'],
  ['1.299.000 ₫', 1299000, 'VND'],
  ['99 zł', 99, 'PLN'],
  ['R$ 5,50', 5.5, 'BRL'],
  ['CA$20', 20, 'CAD'],
  ['1299,-', 1299, null],
  ['−$5.00', -5, 'USD'],
  ['−$0.00', 0, 'USD'],
  ['$1.2M', 1_200_000, 'USD'],
  ['from £10 – £20', 10, 'GBP'],
  ['3 for $10', 10, 'USD'],
  ['all 10 items', 10, null],
  ['$.75', 0.75, 'USD'],
  ['.75 €', 0.75, 'EUR'],
  ['118, 99 TL', 118.99, 'TRY'],
  ['2.418, 07 €', 2418.07, 'EUR'],
  ['$ 7. 49', 7.49, 'USD'],
  ['$5. 10 left', 5, 'USD'],
  ['41€ 95', 41.95, 'EUR'],
  ['36 99 €', 36.99, 'EUR'],
  ['100 € 20 pieces', 100, 'EUR'],
  ['20 to 45 €', 20, 'EUR'],
  ['40% off $12', 12, 'USD'],
  ['$1,190.00 AUD', 1190, 'AUD'],
  ['NZD $100.70', 100.7, 'NZD'],
  ['AU $59.95', 59.95, 'AUD'],
  ['SGD$4.90', 4.9, 'SGD'],
  ['US$:12.99', 12.99, 'USD'],
  ['5 300 Р', 5300, 'RUB'],
  ['120.500 đ', 120500, 'VND'],
  ['3.250 KD', 3.25, 'KWD'],
  ['KD 1,250', 1250, 'KWD'],
  ['7 ლარი', 7, 'GEL'],
  ['9 ₼', 9, 'AZN'],
  ['12 ر.س', 12, 'SAR'],
  ['90,000 تومان', 90000, 'IRT'],
  ['R273.00', 273, 'ZAR'],
  ['184,20 €HT', 184.2, 'EUR'],
  ['99 LEI', 99, 'RON'],
  ['16 ft', 16, null],
  ['3 all', 3, null],
  ['Free!', 0, null],
  ['Kostenlos', 0, null],
]
for (const [text, amount, currency] of cases) {
  test(`"${text}" is parsed as ${amount} ${currency ?? 'without a currency'}`, () =>
    assert.deepEqual(parseMoney(text), { amount, currency } satisfies Money))
}

test('the language of the page decides which currency a shared sign means', () => {
  assert.equal(parseMoney('1 299,00 kr', { language: 'sv-SE' })?.currency, 'SEK')
  assert.equal(parseMoney('1 299,00 kr', { language: 'nb' })?.currency, 'NOK')
  assert.deepEqual(parseMoney('1 299,00 kr'), { amount: 1299, currency: 'SEK' })
  assert.equal(parseMoney('$5', { language: 'en-AU' })?.currency, 'AUD')
  assert.equal(parseMoney('¥5', { language: 'zh-CN' })?.currency, 'CNY')
})

test('the country of the URL and the declared currency decide which currency a shared sign means', () => {
  assert.equal(parseMoney('$5', { region: 'CA', language: 'en' })?.currency, 'CAD')
  assert.equal(parseMoney('$5', { currency: 'SGD', language: 'en-US' })?.currency, 'SGD')
  assert.equal(parseMoney('€5', { currency: 'SGD' })?.currency, 'EUR')
  assert.equal(parseMoney('5 dinar')?.currency, null)
})

test('a percentage is not read as a price', () => {
  assert.equal(parseMoney('40% OFF'), null)
  assert.equal(parseMoney('Save 15 %'), null)
})

test('text without a number is not a price', () => {
  assert.equal(parseMoney('Price on request'), null)
  assert.equal(parseMoney('Free shipping'), null)
})
