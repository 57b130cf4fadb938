// Tests how the records of feeds and PDFs fill the fields of a schema.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordFields } from './record-fields.ts'

const text = { type: 'string' }

test('a list of objects is filled from the entries of a feed, and single fields from the feed itself', () => {
  const entries = [
    { title: 'Ferry late', link: 'https://a.example/1', published_at: '2026-05-01', text: 'It waits.' },
    { title: 'Ferry early', link: 'https://a.example/2', published_at: null, text: 'It left.' },
  ]
  const feed = { title: 'Harbour News', description: 'All ferries', link: 'https://a.example/' }
  const schema = {
    properties: {
      title: text,
      items: {
        type: 'array',
        items: { type: 'object', properties: { headline: text, url: text, date: text } },
      },
      subscribers: { type: 'integer' },
    },
  }
  assert.deepEqual(recordFields(feed, entries, schema), {
    title: 'Harbour News',
    items: [
      { headline: 'Ferry late', url: 'https://a.example/1', date: '2026-05-01' },
      { headline: 'Ferry early', url: 'https://a.example/2', date: null },
    ],
    subscribers: null,
  })
})

test('a PDF fills fields from its record, its form and its labelled lines', () => {
  const pdf = {
    title: 'Invoice',
    final_url: 'https://a.example/i.pdf',
    pages: 2,
    metadata: { author: 'Tarn & Daughters' },
    form: [{ name: 'f1', label: 'Customer number', value: '77' }],
    text: 'Invoice number: 2026-118\nTotal: 1,250.50\nThank you.',
  }
  const schema = {
    properties: {
      ...{ title: text, author: text, invoiceNumber: text, customer_number: { type: 'integer' } },
      ...{ total: { type: 'number' }, pageCount: { type: 'integer' }, dueDate: text },
    },
  }
  assert.deepEqual(recordFields(pdf, [], schema), {
    ...{ title: 'Invoice', author: 'Tarn & Daughters', invoiceNumber: '2026-118', customer_number: 77 },
    ...{ total: 1250.5, pageCount: 2, dueDate: null },
  })
})
