// Tests how limits are written on the command line.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeOf, limitsOf, parseLimit } from './limit-text.ts'

test('limits are parsed with their units: pages, bytes, minutes and money', () => {
  const typed = ['pages=500', 'bytes=2.5GB', 'browser=30m', 'money=7.5'].map(parseLimit)
  assert.deepEqual(limitsOf(typed), { pages: 500, bytes: 2_500_000_000, browserSeconds: 1_800, money: 7.5 })
})

test('"+50" adds to a limit and "none" removes it, but a new job accepts neither', () => {
  const typed = ['pages=+50', 'bytes=none', 'money=+1'].map(parseLimit)
  assert.deepEqual(changeOf(typed, { pages: 100, bytes: 9 }), { pages: 150, bytes: null, money: 1 })
  assert.throws(() => limitsOf(typed), /--limit of a new job must be an amount/)
})

test('the error for an invalid limit shows the right syntax', () => {
  for (const wrong of ['pages', 'megabytes=5', 'pages=1.5', 'money=-1', 'bytes=many', '='])
    assert.throws(
      () => parseLimit(wrong),
      /write it like|not a valid number of pages|not a valid amount/,
      wrong,
    )
})
