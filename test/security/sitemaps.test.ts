// A job about a sitemap that is none does not end as if all were well.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestService } from '../support/service.ts'

let site: TestSite
let service: TestService
before(async () => {
  site = await startTestSite()
  service = await TestService.open({
    settings: { allowPrivate: [`${site.host}:${site.port}`], rate: 'unlimited' },
  })
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

const head = '<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'

for (const [what, body, why] of [
  ['HTML', '<!doctype html><title>Not here</title>', /a web page, not a sitemap/],
  ['empty', `${head}</urlset>`, /names no URL/],
  ['a compression bomb', gzipSync(Buffer.alloc(60_000_000, ' ')), /oversized gzip/],
] as const)
  test(`a sitemap that is ${what} fails its task with the reason`, async () => {
    site.serve('/own-map.xml', { headers: { 'content-type': 'application/xml' }, body })
    const jobId = await service.submit({ sitemap_url: `${site.url}/own-map.xml` })
    await service.ended(jobId)
    const { body: shown } = await service.ask<{ items: Array<{ status: string; error?: unknown }> }>(
      `/jobs/${jobId}/items`,
    )
    assert.match(JSON.stringify(shown), /content\.unsupported/)
    assert.match(JSON.stringify(shown), why)
  })
