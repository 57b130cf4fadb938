// Tests how the sources of fields are counted over many records.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SourceCounts } from './source-counts.ts'

test('the values of a field are counted by their source, the most frequent source first', () => {
  const counts = new SourceCounts()
  counts.add({ price: { from: 'jsonld', by: 'Offer.price' }, name: { from: 'css', by: 'h1' } })
  for (let times = 0; times < 3; times++) counts.add({ price: { from: 'css', by: '.price' } })
  assert.equal(counts.records, 4)
  assert.deepEqual(counts.fields, {
    price: [
      { from: 'css', by: '.price', count: 3 },
      { from: 'jsonld', by: 'Offer.price', count: 1 },
    ],
    name: [{ from: 'css', by: 'h1', count: 1 }],
  })
})

test('reasons that differ only in details of a page are counted as one', () => {
  const counts = new SourceCounts()
  for (const found of ['soon', 'ask "us"'])
    counts.add({ price: { from: 'none', by: '.p', why: `${JSON.stringify(found)} cannot be read as money` } })
  assert.deepEqual(counts.fields.price, [
    { from: 'none', by: '.p', why: '"…" cannot be read as money', count: 2 },
  ])
})
