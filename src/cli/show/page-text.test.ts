// Tests the notes about a scraped page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScrapedPage } from '../jobs/page-reader.ts'
import { pageText } from './page-text.ts'

const pageWith = (...data: object[]) =>
  ({
    ...{ url: 'https://a.example/', state: 'succeeded', reason: 'ok', message: null },
    records: async () => data.map(each => ({ data: each, note: {} })),
  }) as unknown as ScrapedPage
const options = { format: 'json', full: false, withPage: false, isOneOfMany: false, hasRules: true } as const

test('a note names the fields that have no value in any record of the page', async () => {
  const page = pageWith({ name: 'a', price: null, tags: [] }, { name: null, price: null, tags: ['x'] })
  assert.deepEqual((await pageText(page, options)).notes, ['https://a.example/ has no value for price'])
  assert.deepEqual((await pageText(pageWith({ name: 'a' }), options)).notes, [])
  assert.deepEqual((await pageText(page, { ...options, hasRules: false })).notes, [])
})
