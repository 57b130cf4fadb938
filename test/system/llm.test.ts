// A job that may ask a language model, through the whole engine: threads, budget, provenance, and no key anywhere.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { JobSpecInput } from '../../src/model/job.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestEngine } from '../support/engine.ts'
import { type LlmEndpoint, startLlmEndpoint } from '../support/llm-endpoint.ts'

const key = 'sk-kept-nowhere'

function settingsFor(site: TestSite, endpoint: LlmEndpoint) {
  const llm = { llmBaseUrl: endpoint.baseUrl, llmApiKey: key, llmModel: 'small-1' }
  return { allowPrivate: [`${site.host}:${site.port}`], ...llm }
}

const spec = (site: TestSite, pages: number): JobSpecInput => ({
  urls: Array.from({ length: pages }, (_, n) => `${site.url}/item/${n}`),
  extract: { fields: { name: 'h1', price: { css: '.price', as: 'number', required: true } } },
  policy: { host: { rate: 'unlimited' } },
})

async function startShop(pages: number): Promise<TestSite> {
  const site = await startTestSite()
  for (let n = 0; n < pages; n++) site.serve(`/item/${n}`, `<h1>Item ${n}</h1><p>For ${n + 100} only</p>`)
  return site
}

const answering = () =>
  startLlmEndpoint(({ prompt }) => ({ price: String(Number(/Item (\d+)/.exec(prompt)![1]) + 100) }), 1_000)

test('a job that asks for it gets its required fields from the model, on threads too, and the key is kept nowhere', async () => {
  await using site = await startShop(6)
  await using endpoint = await answering()
  await using running = await TestEngine.open({ settings: settingsFor(site, endpoint), lanes: 2 })
  const { job, counts } = await running.run({ ...spec(site, 6), llm: 'fallback' })
  assert.equal(counts.records, 6)
  const { store } = running.engine.data
  for (let n = 1; n <= 6; n++) {
    const [record] = await store.records.ofTask(job.id, n)
    assert.deepEqual(JSON.parse(record!.data), { name: `Item ${n - 1}`, price: n + 99 })
    assert.deepEqual(JSON.parse(record!.provenance!).price, { from: 'llm', by: 'small-1' })
  }
  const files = globSync('**/*', { cwd: running.folder, withFileTypes: true }).filter(entry => entry.isFile())
  assert.ok(files.length > 0)
  for (const { parentPath, name } of files)
    assert.ok(!(await readFile(join(parentPath, name))).includes(key), name)
})

test('nothing is asked unless the job says so, and the record without its required field is left out', async () => {
  await using site = await startShop(1)
  await using endpoint = await answering()
  await using running = await TestEngine.open({ settings: settingsFor(site, endpoint) })
  const { counts } = await running.run(spec(site, 1))
  assert.equal(counts.records, 0)
  assert.equal(endpoint.asked.length, 0)
})

test('the lanes of a job share one budget', async () => {
  await using site = await startShop(10)
  await using endpoint = await answering()
  await using running = await TestEngine.open({ settings: settingsFor(site, endpoint), lanes: 2 })
  const { counts } = await running.run({
    ...spec(site, 10),
    llm: 'fallback',
    llmTokens: 6_000,
    concurrency: 2,
  })
  assert.equal(counts.records, 10)
  assert.ok(endpoint.asked.length > 0 && endpoint.asked.length <= 6, `${endpoint.asked.length} questions`)
})

test('a job that wants a model where none is set up is refused with the way out', async () => {
  await using site = await startShop(1)
  await using running = await TestEngine.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
  await assert.rejects(running.submit({ ...spec(site, 1), llm: 'fallback' }), /SCRAPER_LLM_BASE_URL/)
})
