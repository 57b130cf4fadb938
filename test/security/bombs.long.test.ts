// Tests that pages and selectors that try to exhaust memory do not affect another workspace of the service.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { BombedService } from './bombed-service.ts'

/** For each way to exhaust memory, the page that is fastest to test. The nightly suite tests all pages. */
const chosen = [
  'json of empty objects',
  'json-ld of empty objects',
  'deep html',
  'gzip bomb',
  'pdf of nothing',
]

const fields = {
  following: { xpath: '//*/following::*' },
  siblings: { css: '* ~ * ~ * ~ p', many: true },
}

describe('pages that exhaust memory or time', () => {
  let service: BombedService
  let alone: string[]
  before(async () => {
    service = await BombedService.open()
    alone = await service.goodRecords()
  })
  after(() => service?.[Symbol.asyncDispose]())

  /** Runs the work while another workspace runs its job and `/healthz` is polled. */
  async function beside<Result>(work: () => Promise<Result>): Promise<Result> {
    const { pid } = service
    const over = new AbortController()
    const health = service.watchHealth(over.signal)
    const [result, records] = await Promise.all([work(), service.goodRecords()])
    over.abort()
    assert.ok((await health).length > 0)
    assert.deepEqual(records, alone)
    assert.equal(service.pid, pid)
    return result
  }

  test('a workspace that is alone on the service gets all its records', () => assert.equal(alone.length, 200))

  test('pages that would exhaust memory give a record or a reason, and affect no other workspace', async () => {
    const urls = chosen.map(name => service.site.urlOf(name))
    const outcomes = await beside(() => service.run('alpha', { urls }))
    assert.equal(outcomes.size, chosen.length)
    for (const [url, { state, reason }] of outcomes)
      assert.ok(
        state === 'succeeded' || /^((body|page|record)\.too-|content\.unreadable$)/.test(reason),
        `${url}: ${state} ${reason}`,
      )
  })

  test('a sitemap that decompresses to a huge file is read up to the limit', async () => {
    const job = { sitemap_url: service.site.urlOf('sitemap in place of a page'), max_pages: 5 }
    assert.ok((await beside(() => service.run('alpha', job))).size > 0)
  })

  test('selectors that would exhaust memory fail only their field, both in a job and in a preview', async () => {
    const url = service.site.urlOf('wide row over many')
    await beside(async () => {
      const outcomes = await service.run('alpha', { urls: [url], extract: { fields } })
      assert.deepEqual([...outcomes.values()], [{ state: 'succeeded', reason: 'ok' }])
      const body = { url, extract: { fields: { following: fields.following } }, timeout_s: 60 }
      const preview = await service.ask<{ records?: unknown[]; problem?: unknown }>('/previews', body)
      assert.deepEqual([preview.records?.length, preview.problem], [1, null], JSON.stringify(preview))
    })
  })

  test('a costly page that is requested through the Firecrawl API affects no other caller', async () => {
    const attributes = [{ selector: '* ~ * ~ * ~ i', attribute: 'class' }]
    const formats = ['html', 'images', 'markdown', { type: 'attributes', selectors: attributes }]
    await beside(async () => {
      for (const name of ['wide row over many', 'links in links']) {
        const asked = { formats, onlyMainContent: false, excludeTags: ['b i'], timeout: 300_000 }
        const body = { url: service.site.urlOf(name), ...asked }
        const answer = await service.ask<Scraped>('/v2/scrape', body)
        assert.ok(
          answer.success || /too-|costs too much/.test(JSON.stringify(answer)),
          `${name}: ${JSON.stringify(answer).slice(0, 500)}`,
        )
      }
    })
  })
})

interface Scraped {
  success: boolean
}
