// Tests that an unusable sitemap is reported: a job that lists a sitemap fails, and a crawl continues with a warning.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestService } from '../support/service.ts'

let site: TestSite
let service: TestService
before(async () => {
  site = await startTestSite()
  site.serve('/robots.txt', `Sitemap: ${site.url}/site-map.xml`)
  site.serve('/lone', '<title>Lone</title><p>No links here.')
  service = await TestService.open({
    settings: { allowPrivate: [`${site.host}:${site.port}`], rate: 'unlimited' },
  })
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

interface Item {
  kind: string
  status: string
  reason: string
  message: string | null
}

interface Shown {
  status: string
  counts: { pages: number; warnings: Record<string, number> }
}

const jobOf = async (jobId: string) => (await service.ask<Shown>(`/jobs/${jobId}`)).body

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
    const { body: shown } = await service.ask<{ items: Item[] }>(`/jobs/${jobId}/items`)
    const [task] = shown.items
    assert.deepEqual([task?.status, task?.reason], ['failed', 'content.unreadable'])
    assert.match(task?.message ?? '', why)
    assert.equal((await jobOf(jobId)).status, 'failed')
  })

for (const [what, body, code, why] of [
  ['HTML', '<!doctype html><title>Not here</title>', 'sitemap.unusable', /a web page, not a sitemap/],
  ['empty', `${head}</urlset>`, 'sitemap.unusable', /names no URL/],
  ['a compression bomb', gzipSync(Buffer.alloc(60_000_000, ' ')), 'sitemap.unusable', /oversized gzip/],
  ['longer than its end', cutMap(), 'sitemap.cut', /oversized gzip; it gave 1 URLs/],
] as const)
  test(`a crawl continues with a warning if the sitemap of the site is ${what}`, async () => {
    site.serve('/site-map.xml', { headers: { 'content-type': 'application/xml' }, body })
    const jobId = await service.submit({ seed_urls: [`${site.url}/lone`] })
    await service.ended(jobId)
    const job = await jobOf(jobId)
    assert.equal(job.status, 'completed')
    assert.deepEqual([job.counts.pages, job.counts.warnings], [1, { [code]: 1 }])
    const notice = service.logged.find(line => line.job_id === jobId && why.test(String(line.message)))
    assert.equal(notice?.level, 'warn')
    const { body: shown } = await service.ask<{ items: Item[] }>(`/jobs/${jobId}/items`)
    assert.match(shown.items.find(({ kind }) => kind === 'sitemap')?.message ?? '', why)
  })

/** A sitemap with one URL, followed by more white space than the limit for decompressed data. */
function cutMap(): Buffer {
  const url = '<url><loc>http://elsewhere.example/</loc></url>'
  return gzipSync(Buffer.concat([Buffer.from(head + url), Buffer.alloc(60_000_000, ' ')]))
}
