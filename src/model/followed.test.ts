// Tests the data that a scraper passes along with a link that it follows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followedInput, followedOf, givenRow } from './followed.ts'

test('the handler of a followed link and its data are read back unchanged', () => {
  const input = followedInput('https://a.example/', { to: 'detail', data: { rank: 1, tags: ['x'] } })
  assert.deepEqual(followedOf(input), { handler: 'detail', data: { rank: 1, tags: ['x'] } })
  assert.equal(givenRow(input), null)
})

test('a followed link without data has no input, and a row of a caller is never mistaken for the input of a followed link', () => {
  assert.equal(followedInput('https://a.example/', {}), null)
  const row = '{"url":"https://a.example/","_handler":"x"}'
  assert.equal(followedOf(row), null)
  assert.equal(givenRow(row), row)
})

test('data without a handler is refused, and so are data above the size limit', () => {
  assert.throws(() => followedInput('https://a.example/', { data: 1 }), /names no handler; set `to`/)
  assert.throws(
    () => followedInput('https://a.example/', { to: 'x', data: 'a'.repeat(200_000) }),
    /limit of 100,000/,
  )
})
