// Tests the metadata of a document under Firecrawl's names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobOf } from '../../../../test/support/job-values.ts'
import { someAttempt, somePage, someRecord } from '../../../../test/support/results-parts.ts'
import { metadataOf } from './metadata.ts'

const of = (change: object = {}) =>
  metadataOf({
    ...{
      record: someRecord(1, {}),
      data: {},
      page: somePage(),
      made: null,
      attempts: [someAttempt()],
      job: jobOf(),
    },
    ...{ asked: 'shop.example', ...change },
  } as never)

test('each meta element is returned under its own name and under Firecrawl’s name', () => {
  const meta = {
    'og:site_name': 'Shop',
    'article:published_time': 'T',
    'dc.date.created': 'D',
    'og:locale:alternate': 'de',
  }
  const found = of({ made: { metadata: { meta, title: 'Tea' } } })
  assert.deepEqual(
    [
      found.ogSiteName,
      found.publishedTime,
      found.dcDateCreated,
      found.ogLocaleAlternate,
      found['og:site_name'],
    ],
    ['Shop', 'T', 'D', 'de', 'Shop'],
  )
  assert.equal(found.title, 'Tea')
})

test('metadata that the page lacks comes from the record, and no value is null', () => {
  const found = of({ data: { title: 'From the record', language: null } })
  assert.equal(found.title, 'From the record')
  assert.equal('language' in found, false)
  assert.equal(found.contentType, 'text/html; charset=utf-8')
  assert.equal('contentType' in of({ page: null }), false)
})

test('a reused response is marked as a cache hit, with its time', () => {
  assert.deepEqual([of().cacheState, of().cachedAt], ['miss', undefined])
  const hit = of({ attempts: [someAttempt(), someAttempt({ outcome: 'cached' as never })] })
  assert.equal(hit.cacheState, 'hit')
  assert.match(String(hit.cachedAt), /^2026-03-04/)
})

test('the metadata says whether the stealth browser was used', () => {
  assert.equal(of().proxyUsed, 'basic')
  assert.equal(of({ job: jobOf({ spec: { browser: 'stealth', render: 'always' } }) }).proxyUsed, 'stealth')
})
