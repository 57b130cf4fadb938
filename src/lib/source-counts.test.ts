// Sources of fields, counted over records.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SourceCounts } from './source-counts.ts'

test('fields are counted by where they came from, the most frequent first', () => {
  const tally = new SourceCounts()
  tally.add({ price: { from: 'jsonld', by: 'Offer.price' }, name: { from: 'css', by: 'h1' } })
  for (let times = 0; times < 3; times++) tally.add({ price: { from: 'css', by: '.price' } })
  assert.equal(tally.records, 4)
  assert.deepEqual(tally.fields, {
    price: [
      { from: 'css', by: '.price', count: 3 },
      { from: 'jsonld', by: 'Offer.price', count: 1 },
    ],
    name: [{ from: 'css', by: 'h1', count: 1 }],
  })
})

test('what pages said differently is one reason', () => {
  const tally = new SourceCounts()
  for (const found of ['soon', 'ask "us"'])
    tally.add({ price: { from: 'none', by: '.p', why: `${JSON.stringify(found)} cannot be read as money` } })
  assert.deepEqual(tally.fields.price, [
    { from: 'none', by: '.p', why: '"…" cannot be read as money', count: 2 },
  ])
})
