// The headers of a job: which go where.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type JobKind, jobSpec } from '../model/job.ts'
import { jobHeaders } from './job-headers.ts'

const headers = { Authorization: 'Bearer x', 'X-Api-Key': 'y', 'Accept-Language': 'de' }
const open = (kind: JobKind, spec: Record<string, unknown>) =>
  jobHeaders({ kind, spec: jobSpec.parse({ headers, ...spec }) })

test('a crawl takes what could be a secret to its seeds and nowhere else', () => {
  const { everywhere, extraFor } = open('crawl', {
    seedUrls: ['https://a.example/start'],
    allowedDomains: ['b.example'],
  })
  assert.deepEqual(everywhere, { 'accept-language': 'de' })
  assert.deepEqual(extraFor('https://a.example/x'), { authorization: 'Bearer x', 'x-api-key': 'y' })
  for (const url of ['https://b.example/', 'https://www.a.example/', 'https://a.example:8443/'])
    assert.equal(extraFor(url), undefined, url)
})

test('it is never sent in the clear where the seed was not', () => {
  assert.equal(open('crawl', { seedUrls: ['https://a.example/'] }).extraFor('http://a.example/'), undefined)
  assert.ok(open('crawl', { seedUrls: ['http://a.example/'] }).extraFor('https://a.example/'))
})

test('the site of a sitemap that was named is one that was named', () => {
  assert.ok(open('crawl', { sitemapUrl: 'https://a.example/s.xml' }).extraFor('https://a.example/x'))
})

test('every URL of a list was named by the caller', () => {
  const { everywhere, extraFor } = open('list', { urls: ['https://a.example/'] })
  assert.equal(everywhere.authorization, 'Bearer x')
  assert.equal(extraFor('https://b.example/'), undefined)
})

test('headers that are no secret cost nothing per request', () => {
  const { everywhere, extraFor } = open('crawl', {
    seedUrls: ['https://a.example/'],
    headers: { Accept: 'text/html' },
  })
  assert.deepEqual(everywhere, { accept: 'text/html' })
  assert.equal(extraFor('https://a.example/'), undefined)
})
