// Tests how a terminal shows the first records, and which fields are missing.
import assert from 'node:assert/strict'
import test from 'node:test'
import { recordStore, someJob, someRecord } from '../../../test/support/results-parts.ts'
import { missingFields } from './missing-fields.ts'
import { recordPreview } from './record-preview.ts'

const rules = { extract: { fields: { name: 'h1', price: { css: '.price', as: 'money' }, gone: '.gone' } } }
const records = recordStore([
  someRecord(1, { name: 'Lamp', price: { amount: 5, currency: 'EUR' }, gone: null }),
  someRecord(2, { name: `A ${'very '.repeat(30)}long name`, price: null, gone: '' }),
])

test('the preview of records has short cells, and no empty or repeated column', async () => {
  const preview = await recordPreview(records, someJob('job-1', rules), { rows: 10, width: 120 })
  assert.deepEqual(preview?.names, ['name', 'price', 'price_currency', '_page_url'])
  assert.equal(preview?.rows[0]?.join('|'), 'Lamp|5|EUR|https://shop.example/p/1')
  assert.ok(preview!.rows.flat().every(cell => cell.length <= 40))
})

test('a narrow terminal shows the columns that fit', async () => {
  const preview = await recordPreview(records, someJob('job-1', rules), { rows: 1, width: 20 })
  assert.deepEqual(preview?.names, ['name', 'price'])
  assert.equal(await recordPreview(recordStore([]), someJob(), { rows: 1, width: 20 }), null)
})

test('the title of a page comes before its links, and is cut if it is too long', async () => {
  const pages = recordStore([
    someRecord(1, {
      url: 'https://shop.example/p/1',
      links: ['https://shop.example/a'],
      title: `Lamps ${'and '.repeat(20)}`,
    }),
  ])
  const preview = await recordPreview(pages, someJob(), { rows: 1, width: 50 })
  assert.deepEqual(preview?.names, ['url', 'title'])
  assert.equal(preview?.rows[0]?.join('  ').length, 50)
})

test('fields without a value are counted, and the field that is missing most often comes first', async () => {
  const missing = await missingFields(records, someJob('job-1', rules))
  assert.deepEqual(missing, {
    records: 2,
    fields: [
      { name: 'gone', missing: 2 },
      { name: 'price', missing: 1 },
    ],
  })
  assert.equal(await missingFields(records, someJob()), null)
})
