// Prices in many currencies.
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
]
for (const [text, amount, currency] of cases) {
  test(`"${text}" is ${amount} ${currency ?? 'of no named currency'}`, () =>
    assert.deepEqual(parseMoney(text), { amount, currency } satisfies Money))
}

test('a sign that several countries use is settled by the language of the page', () => {
  assert.equal(parseMoney('1 299,00 kr', { language: 'sv-SE' })?.currency, 'SEK')
  assert.equal(parseMoney('1 299,00 kr', { language: 'nb' })?.currency, 'NOK')
  assert.deepEqual(parseMoney('1 299,00 kr'), { amount: 1299, currency: null })
  assert.equal(parseMoney('$5', { language: 'en-AU' })?.currency, 'AUD')
  assert.equal(parseMoney('¥5', { language: 'zh-CN' })?.currency, 'CNY')
})

test('text without a number is no price', () => {
  assert.equal(parseMoney('Price on request'), null)
})
