// Tests how a job is planned: its source decides its kind, and options that would have no effect are refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JobSpecInput, jobSpec } from '../model/job.ts'
import { kindOf, newJobId, refuseFollowing } from './plan-job.ts'

const none = { fromFile: false, map: false }
const planned = (spec: JobSpecInput, options = {}) => kindOf(jobSpec.parse(spec), { ...none, ...options })
const url = 'https://a.example/'

test('a job with start URLs or a sitemap is a crawl; a job with URLs, items or a file is a list; a map job stays a map job', () => {
  assert.equal(planned({ seedUrls: [url] }), 'crawl')
  assert.equal(planned({ sitemapUrl: url }), 'crawl')
  assert.equal(planned({ urls: [url] }), 'list')
  assert.equal(planned({ items: [{ input: {} }] }), 'list')
  assert.equal(planned({}, { fromFile: true }), 'list')
  assert.equal(planned({ seedUrls: [url] }, { map: true }), 'map')
})

test('a job has exactly one source', () => {
  assert.throws(() => planned({}), { code: 'input.invalid', message: /this one has none/ })
  assert.throws(() => planned({ urls: [url], seedUrls: [url] }), { message: /urls and seed_urls/ })
  assert.throws(() => planned({ urls: [url] }, { fromFile: true }), { code: 'input.invalid' })
  assert.throws(() => planned({}, { map: true }), { code: 'input.invalid' })
})

test('an upload without a service is refused, and so are options for links in a list', () => {
  assert.throws(() => planned({ uploadId: 'up-1' }), { code: 'feature.missing' })
  assert.throws(() => refuseFollowing({ depth: 0 }), { message: /^depth: a list follows no links/ })
  assert.throws(() => refuseFollowing({ allowedDomains: ['a.example'] }), { message: /^allowed_domains: / })
})

test('generated job ids describe the job and are unique', () => {
  assert.match(newJobId('crawl'), /^crawl-[0-9a-f]{10}$/)
  assert.notEqual(newJobId('list'), newJobId('list'))
})
