// Tests durations and rates: their text can be parsed, and formatted values can be parsed again.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Failure } from '../../model/failures.ts'
import { formatDuration, formatRate, parseDuration, parseRate } from './units.ts'

test('durations are parsed in the usual notations', () => {
  assert.equal(parseDuration('500ms'), 500)
  assert.equal(parseDuration('5s'), 5_000)
  assert.equal(parseDuration(' 2 m '), 120_000)
  assert.equal(parseDuration('1h'), 3_600_000)
  assert.equal(parseDuration('1m30s'), 90_000)
  assert.equal(parseDuration('1.5S'), 1_500)
  assert.equal(parseDuration('0'), 0)
})

test('the error for an invalid duration shows the right syntax', () => {
  for (const text of ['', 'soon', '5 parsecs', '-5s', '5s!', 's', '1e3s', '.5s'])
    assert.throws(
      () => parseDuration(text),
      { name: 'Failure', code: 'input.invalid', message: /500ms, 5s/ },
      text,
    )
  assert.throws(() => parseDuration('30'), /did you mean 30s\?/)
})

test('any whole number of milliseconds can be written and read back', () => {
  fc.assert(
    fc.property(fc.nat({ max: 10 ** 12 }), ms => {
      assert.equal(parseDuration(formatDuration(ms)), ms)
    }),
  )
  assert.equal(formatDuration(90_000), '1m30s')
  assert.equal(formatDuration(500), '500ms')
  assert.equal(formatDuration(0), '0s')
})

test('rates are parsed per second, minute, hour or day', () => {
  assert.equal(parseRate('2/s'), 2)
  assert.equal(parseRate('30/m'), 0.5)
  assert.equal(parseRate('30 / min'), 0.5)
  assert.equal(parseRate('3600/h'), 1)
  assert.equal(parseRate('86400/day'), 1)
  assert.equal(parseRate('0.25'), 0.25)
  assert.equal(parseRate('Unlimited'), 'unlimited')
})

test('a rate of zero, or an invalid rate, is refused', () => {
  for (const text of ['', '0', '0/s', '-1/s', 'fast', '2/fortnight', '1/2/s', '1e999/s'])
    assert.throws(() => parseRate(text), Failure, text)
})

test('any rate that is formatted can be parsed again', () => {
  const rates = fc.double({ min: 1e-6, max: 1e5, noNaN: true })
  fc.assert(
    fc.property(rates, rate => {
      assert.equal(parseRate(formatRate(rate)), rate)
    }),
  )
  assert.equal(formatRate(0.5), '30/m')
  assert.equal(formatRate(2), '2/s')
  assert.equal(parseRate(formatRate('unlimited')), 'unlimited')
})
