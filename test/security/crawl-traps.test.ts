// Tests that no site can make a crawl endless: repeating paths are refused, and the job says so.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestSite } from '../site/index.ts'
import { TestService } from '../support/service.ts'

interface Shown {
  status: string
  counts: { pages: number; links_refused: Record<string, number> }
}

test('a crawl of pages that link to ever deeper copies of themselves ends, and counts the refused links', async () => {
  await using site = await startTestSite()
  await using service = await TestService.open({
    settings: { allowPrivate: [`${site.host}:${site.port}`], rate: 'unlimited' },
  })
  for (let depth = 0; depth < 12; depth++)
    site.serve(
      `/trap${'/more'.repeat(depth)}`,
      `<title>${depth}</title><a href="/trap${'/more'.repeat(depth + 1)}">more</a>`,
    )
  const jobId = await service.submit({ seed_urls: [`${site.url}/trap`], sitemap: 'skip' })
  await service.ended(jobId)
  const { body } = await service.ask<Shown>(`/jobs/${jobId}`)
  assert.equal(body.status, 'completed')
  assert.ok(body.counts.pages <= 4, `${body.counts.pages} pages`)
  assert.ok((body.counts.links_refused['trap.suspected'] ?? 0) > 0, JSON.stringify(body.counts))
})
