// Tests that text of a page never becomes HTML in a Markdown export, and that code keeps its characters.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestSite } from '../site/index.ts'
import { TestService } from '../support/service.ts'

const attack = '&lt;img src=x onerror=alert(1)&gt;'

test('tags in titles, text and fields are escaped in the export', async () => {
  await using site = await startTestSite()
  await using service = await TestService.open({
    settings: { allowPrivate: [`${site.host}:${site.port}`], rate: 'unlimited' },
  })
  site.serve(
    '/hostile',
    `<title>${attack}</title><main><h1>${attack}</h1><p>Before ${attack} after it, in a paragraph that is long enough to be read.</p>
    <p>Use <code>&lt;b&gt;</code> for bold text.</p></main>`,
  )
  const jobId = await service.submit({ urls: [`${site.url}/hostile`] })
  await service.ended(jobId)
  const { status, text } = await service.ask(`/jobs/${jobId}/export?format=md`)
  assert.equal(status, 200, text)
  assert.match(text, /Before (?:&lt;|\\<)img src=x/)
  assert.doesNotMatch(text, /(?<!\\)<img/)
  assert.match(text, /`<b>`/)
})
