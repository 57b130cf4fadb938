// Tests the limits on the size of a task's records.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecordSizes } from './record-sizes.ts'

test('a record over the limit fails with its size and the remedy', () => {
  const sizes = new RecordSizes(1_024, 'shop@1')
  assert.equal(sizes.json({ text: 'a'.repeat(1_000) }).length, 1_011)
  assert.throws(() => sizes.json({ text: 'ü'.repeat(600) }), {
    code: 'record.too-large',
    message:
      'shop@1: a record has 1211 bytes, more than 1024; extract fewer or narrower fields, or raise policy.max_record_bytes',
  })
})

test('all records of a task together may be ten times as large as one record may be', () => {
  const sizes = new RecordSizes(1_024, 'shop@1')
  const record = { text: 'a'.repeat(1_000) }
  for (let count = 0; count < 10; count++) sizes.json(record)
  assert.throws(() => sizes.json(record), { code: 'record.too-large', message: /records of the task/ })
})

test('a record that does not fit into a string fails as too large, not as a bug', () => {
  const endless = {
    toJSON() {
      throw new RangeError('Invalid string length')
    },
  }
  assert.throws(() => new RecordSizes(1_024, 'shop@1').json(endless), { code: 'record.too-large' })
})
