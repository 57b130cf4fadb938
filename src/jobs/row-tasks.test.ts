// Tests what a row becomes: a URL to fetch, an input for a scraper, or a rejected row with a reason.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { type RowReading, taskOfRow } from './row-tasks.ts'

const pages: RowReading = { urlColumn: undefined, input: null, urlOptional: false }
const byUrl: RowReading = { ...pages, input: z.object({ url: z.url() }), urlOptional: true }
const byParcel: RowReading = { ...pages, input: z.object({ parcel: z.string().min(3) }), urlOptional: true }
const read = (value: Record<string, unknown>, reading: RowReading) =>
  taskOfRow({ is: 'object', row: 7, value }, reading)
const urlOf = (value: Record<string, unknown>, reading: RowReading) => {
  const result = read(value, reading)
  return result.is === 'task' ? result.task.url : result
}

test('the URL of a row is found by the name of its column; without such a column, the value that looks like a URL is used', () => {
  assert.equal(urlOf({ id: '1', Link: ' https://a.example/ ' }, pages), 'https://a.example/')
  assert.equal(urlOf({ id: '1', seen: 'https://a.example/' }, pages), 'https://a.example/')
})

test('if the scraper’s input has no URL, neither a street nor a base_url is taken for the URL of a row', () => {
  const row = { parcel: '123', address: '12 Main St', base_url: 'https://tax.example' }
  assert.equal(urlOf(row, byParcel), null)
  assert.equal(urlOf({ ...row, url: 'https://tax.example/123' }, byParcel), 'https://tax.example/123')
})

test('a scraper that reads pages gets the URL as `url`, whatever its column is called', () => {
  const result = read({ name: 'A', website: 'https://a.example/' }, byUrl)
  assert.equal(result.is, 'task')
  const input = JSON.parse(result.is === 'task' ? result.task.input! : '')
  assert.deepEqual(input, { name: 'A', website: 'https://a.example/', url: 'https://a.example/' })
})

test('an invalid row is rejected with its line and field', () => {
  const result = read({ parcel: '1' }, byParcel)
  assert.ok(result.is === 'rejected')
  assert.equal(result.row, 7)
  assert.match(result.reason, /^parcel: /)
})
