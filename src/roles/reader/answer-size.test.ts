// Tests results of a parser process that are too large for a lane.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkKeys, mostKeys } from './answer-size.ts'

const recordOf = (keys: number) =>
  Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${index}`, 0]))
const url = 'https://a.example/'

test('a record of too many fields fails with their number and the limit', () => {
  assert.throws(() => checkKeys([recordOf(mostKeys + 1)], url), {
    code: 'page.too-costly',
    message: /https:\/\/a\.example\/ have 250001 or more fields, more than 250000/,
  })
  checkKeys([recordOf(mostKeys)], url)
})

test('the limit on fields counts all records and nested objects together, but not items of lists', () => {
  const half = recordOf(mostKeys / 2)
  assert.throws(() => checkKeys([half, { inside: [half] }], url), { code: 'page.too-costly' })
  checkKeys({ list: Array.from({ length: 2 * mostKeys }, () => 1), body: Buffer.alloc(1_000_000) }, url)
})

test('records with deep nesting do not exhaust the stack', () => {
  let deep: unknown = null
  for (let level = 0; level < 100_000; level += 1) deep = [deep]
  checkKeys(deep, url)
})
