// Tests which headers of a job are sent to which origins.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JobKind, jobSpec } from '../../../model/job.ts'
import { jobHeaders } from './job-headers.ts'

const headers = { Authorization: 'Bearer x', 'X-Api-Key': 'y', 'Accept-Language': 'de' }
const open = (kind: JobKind, spec: Record<string, unknown>) =>
  jobHeaders({ kind, spec: jobSpec.parse({ headers, ...spec }) })

const secrets = { authorization: 'Bearer x', 'x-api-key': 'y' }

test('a crawl sends secret headers to its seeds and nowhere else', () => {
  const { everywhere, extraFor } = open('crawl', {
    seedUrls: ['https://a.example/start'],
    allowedDomains: ['b.example'],
  })
  assert.deepEqual(everywhere, { 'accept-language': 'de' })
  assert.deepEqual(extraFor('https://a.example/x', 'https://a.example/x'), secrets)
  for (const url of ['https://b.example/', 'https://www.a.example/', 'https://a.example:8443/'])
    assert.equal(extraFor(url, url), undefined, url)
})

test('secret headers are not sent to another scheme or port', () => {
  const from = (seed: string, url: string) => open('crawl', { seedUrls: [seed] }).extraFor(url, url)
  assert.equal(from('https://a.example/', 'http://a.example/'), undefined)
  assert.equal(from('http://a.example/', 'https://a.example/'), undefined)
  assert.equal(from('http://a.example/', 'http://a.example:8080/'), undefined)
  assert.deepEqual(from('http://a.example/', 'http://a.example:80/'), secrets)
})

test('in a crawl without seeds, secret headers go to the site of the sitemap', () => {
  const url = 'https://a.example/x'
  assert.deepEqual(open('crawl', { sitemapUrl: 'https://a.example/s.xml' }).extraFor(url, url), secrets)
  const beside = { seedUrls: ['https://b.example/'], sitemapUrl: 'https://a.example/s.xml' }
  assert.equal(open('crawl', beside).extraFor(url, url), undefined)
})

test('a task of a list sends secret headers to the site of its own URL', () => {
  const { everywhere, extraFor } = open('list', { urls: ['https://a.example/', 'https://b.example/'] })
  assert.deepEqual(everywhere, { 'accept-language': 'de' })
  assert.deepEqual(extraFor('https://b.example/2', 'https://b.example/'), secrets)
  // The scraper of this task opens a page of another site.
  assert.equal(extraFor('https://b.example/', 'https://a.example/'), undefined)
})

test('headers without secrets need no check before each request', () => {
  const { everywhere, extraFor } = open('crawl', {
    seedUrls: ['https://a.example/'],
    headers: { Accept: 'text/html' },
  })
  assert.deepEqual(everywhere, { accept: 'text/html' })
  assert.equal(extraFor('https://a.example/', 'https://a.example/'), undefined)
})
