// Tests that a job can remove personal data from its records, whichever extractor made the records.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobSpecInput } from '../../src/model/job.ts'
import { startTestSite } from '../site/index.ts'
import { TestEngine } from '../support/engine.ts'

const page = `<title>Contact</title><main><p>Write to <a href="mailto:jane@doe.example">jane@doe.example</a>.</p></main>
<script type="application/ld+json">{"@type":"Person","email":"jane@doe.example","telephone":"+1 602 555 0100"}</script>`

async function recordOf(spec: JobSpecInput): Promise<string> {
  await using site = await startTestSite()
  site.serve('/who', page)
  await using here = await TestEngine.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
  const { job } = await here.run({ ...spec, urls: [`${site.url}/who`] })
  const [record] = await here.engine.data.store.records.list(job.id, { after: 0, limit: 1 })
  return record!.data
}

test('personal data in the default record is masked everywhere: in text, markdown and structured data', async () => {
  assert.match(await recordOf({}), /jane@doe\.example/)
  const masked = await recordOf({ pii: 'mask' })
  assert.doesNotMatch(masked, /jane|555 0100/)
  assert.equal(masked.match(/j\*\*\*@d\*\*\*\.example/g)?.length, 4)
})

test('personal data in fields of rules is dropped', async () => {
  const extract = { fields: { email: { css: 'main a', as: 'email' as const }, title: 'title' } }
  assert.deepEqual(JSON.parse(await recordOf({ pii: 'drop', extract })), { email: null, title: 'Contact' })
})
