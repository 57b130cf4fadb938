// Tests pages that are not HTML in the whole engine: feeds, JSON, PDFs and other files give their own records.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RecordData } from '../../src/model/record.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestEngine } from '../support/engine.ts'

const settingsFor = (site: TestSite) => ({ allowPrivate: [`${site.host}:${site.port}`] })
const fast = { policy: { host: { rate: 'unlimited' } } } as const

async function recordsOf({ engine }: TestEngine, jobId: string, n: number): Promise<RecordData[]> {
  return (await engine.data.store.records.ofTask(jobId, n)).map(({ data }) => JSON.parse(data) as RecordData)
}

test('a feed, a JSON file, a PDF and an image each give records, and their bytes are stored', async () => {
  await using site = await startTestSite()
  await using running = await TestEngine.open({ settings: settingsFor(site), lanes: 1 })
  const urls = ['/feed.xml', '/echo?a=1', '/files/catalogue.pdf', '/images/logo.png'].map(
    path => site.url + path,
  )
  const { job, counts } = await running.run({ urls, ...fast })
  assert.equal(counts.byState.succeeded, 4)
  const [entry] = await recordsOf(running, job.id, 1)
  assert.match(String(entry!.link), /\/blog\//)
  const [json] = await recordsOf(running, job.id, 2)
  assert.equal(typeof json!.data, 'object')
  const [pdf] = await recordsOf(running, job.id, 3)
  assert.equal(pdf!.text, 'The catalogue of Kestrel & Pine')
  assert.equal(pdf!.pages, 1)
  const [picture] = await recordsOf(running, job.id, 4)
  assert.equal(picture!.content_type, 'image/png')
  assert.match(String(picture!.sha256), /^[0-9a-f]{64}$/)
  const attempts = await running.engine.data.store.tasks.attempts(job.id, 4)
  assert.ok(attempts[0]!.raw)
})

test('a crawl that starts at a feed follows the links of its entries', async () => {
  await using site = await startTestSite()
  await using running = await TestEngine.open({ settings: settingsFor(site) })
  const { job } = await running.run({
    seedUrls: [`${site.url}/feed.xml`],
    depth: 1,
    sitemap: 'skip',
    ...fast,
  })
  const paths = (await running.tasks(job.id)).map(task => new URL(task.url).pathname)
  assert.ok(paths.filter(path => path.startsWith('/blog/')).length > 1, paths.join(' '))
})

test('rules can extract fields from the text of a PDF, and an image is skipped with the reason', async () => {
  await using site = await startTestSite()
  await using running = await TestEngine.open({ settings: settingsFor(site) })
  const urls = [`${site.url}/files/catalogue.pdf`, `${site.url}/images/logo.png`]
  const extract = { fields: { of: { regex: 'catalogue of (.+)' } } }
  const { job } = await running.run({ urls, extract, ...fast })
  assert.deepEqual(await recordsOf(running, job.id, 1), [{ of: 'Kestrel & Pine' }])
  const [, picture] = await running.tasks(job.id)
  assert.equal(picture!.state, 'skipped')
  assert.equal(picture!.reason, 'content.unsupported')
})
