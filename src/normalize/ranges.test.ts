// Tests parsing ranges of employees and salaries in the formats of real pages.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEmployeeRange, parseSalaryRange } from './ranges.ts'

test('numbers of employees are parsed in many notations', () => {
  assert.equal(parseEmployeeRange('51-200 employees'), '51-200')
  assert.equal(parseEmployeeRange('10,001+ employees'), '10001+')
  assert.equal(parseEmployeeRange('1K–5K'), '1000-5000')
  assert.equal(parseEmployeeRange('11 to 50'), '11-50')
  assert.equal(parseEmployeeRange('more than 1.000'), '1000+')
  assert.equal(parseEmployeeRange('fewer than 10 people'), '1-9')
  assert.equal(parseEmployeeRange('up to 50'), '1-50')
  assert.equal(parseEmployeeRange('about 250'), '250')
  assert.equal(parseEmployeeRange('a few'), null)
  assert.equal(parseEmployeeRange('-0-0'), '0')
  assert.equal(parseEmployeeRange({ '@type': 'QuantitativeValue', minValue: 11, maxValue: '50' }), '11-50')
  assert.equal(parseEmployeeRange({ value: 250 }), '250')
})

test('salaries are parsed with currency and period, if the text has them', () => {
  assert.equal(parseSalaryRange('$100k – $120k a year'), 'USD 100000-120000 per year')
  assert.equal(parseSalaryRange('90-120k'), '90000-120000')
  assert.equal(parseSalaryRange('€45.000 bis €55.000 pro Jahr'), 'EUR 45000-55000 per year')
  assert.equal(parseSalaryRange('$45.50 - $60/hr'), 'USD 45.5-60 per hour')
  assert.equal(parseSalaryRange('from $100,000+'), 'USD 100000+')
  assert.equal(parseSalaryRange('$33.0020 an hour'), 'USD 33.0020 per hour')
  assert.equal(parseSalaryRange('<b>Competitive</b>'), 'Competitive')
  assert.equal(parseSalaryRange(' '), null)
})

test('a MonetaryAmount and a text give the same salary range', () => {
  const value = { minValue: 40, maxValue: 50.5, unitText: 'HOUR' }
  assert.equal(
    parseSalaryRange({ '@type': 'MonetaryAmount', currency: 'USD', value }),
    'USD 40-50.5 per hour',
  )
  assert.equal(parseSalaryRange({ currency: 'EUR', value: 50_000 }), 'EUR 50000')
  assert.equal(parseSalaryRange({ currency: 'EUR' }), null)
  assert.equal(parseSalaryRange({ currency: 'EUR', value: -0 }), 'EUR 0')
})
