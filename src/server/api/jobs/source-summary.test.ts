// Tests the short summary of a job's source.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobOf } from '../../../../test/support/job-values.ts'
import { type Job, jobSpec } from '../../../model/job.ts'
import type { Server } from '../../parts.ts'
import { shownAsked, sourceOf } from './source-summary.ts'

const jobWith = (spec: object, ingest = {}): Job => ({ ...jobOf({ ingest }), spec: jobSpec.parse(spec) })

test('a list of URLs is shown as its first three URLs and their number', () => {
  const urls = ['a', 'b', 'c', 'd'].map(path => `https://a.example/${path}`)
  assert.deepEqual(sourceOf(jobWith({ urls })), { kind: 'urls', count: 4, first: urls.slice(0, 3) })
  assert.equal(sourceOf(jobWith({ seedUrls: urls })).kind, 'seed_urls')
  assert.equal(sourceOf(jobWith({ sitemapUrl: urls[0] })).kind, 'sitemap_url')
})

test('a file is shown only by its name, and an upload by its id', () => {
  const source = '/home/operator/private/rows.csv'
  assert.deepEqual(sourceOf(jobOf({ ingest: { source } })).first, ['rows.csv'])
  const uploaded = { ...jobOf({ ingest: { source } }), spec: { ...jobOf().spec, uploadId: 'up-1' } }
  assert.deepEqual(sourceOf(uploaded), { kind: 'upload_id', count: 1, first: ['up-1'] })
})

test('items are only counted and not shown, because their input may be anything', () => {
  const items = [{ itemId: 'a', input: { password: 'x' } }]
  assert.deepEqual(sourceOf(jobWith({ items, scraperId: 'one' })), { kind: 'items', count: 1, first: [] })
})

test('a job is shown with the defaults that apply, and with the state of each output', async () => {
  const output = ['/out/a.csv', '/out/b.csv'].map(path => ({ path, format: 'csv' as const }))
  const list = async () => [
    { path: '/out/a.csv', done: true },
    { path: '/out/b.csv', done: false },
  ]
  const server = { parts: { store: { outputs: { list } } } } as unknown as Server
  const shown = await shownAsked(server, jobOf({ spec: { output } }))
  assert.deepEqual(shown.outputs, [
    { path: 'a.csv', format: 'csv', done: true },
    { path: 'b.csv', format: 'csv', done: false },
  ])
  assert.deepEqual([shown.robots, shown.browser, shown.llm, shown.maxPages], ['obey', 'plain', 'off', null])
})
