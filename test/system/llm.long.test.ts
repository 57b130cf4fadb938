// Tests a job with a language model in the whole engine: threads, budget, provenance, and an API key that is stored nowhere.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import type { JobSpecInput } from '../../src/model/job.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestEngine } from '../support/engine.ts'
import { type LlmEndpoint, startLlmEndpoint } from '../support/llm-endpoint.ts'
import { Workplace } from './run-cli.ts'

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

const answering = (tokens = 1_000) =>
  startLlmEndpoint(({ prompt }) => ({ price: String(Number(/Item (\d+)/.exec(prompt)![1]) + 100) }), tokens)

test('if a job asks for it, the model fills required fields, even on threads, and the API key of the model is stored nowhere', async () => {
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

test('the model is called only if the job asks for it; otherwise a record without its required field is dropped', async () => {
  await using site = await startShop(1)
  await using endpoint = await answering()
  await using running = await TestEngine.open({ settings: settingsFor(site, endpoint) })
  const { counts } = await running.run(spec(site, 1))
  assert.equal(counts.records, 0)
  assert.equal(endpoint.asked.length, 0)
})

test('all lanes of a job share one token budget', async () => {
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

test('if no model is configured, a job that needs one is refused with the remedy', async () => {
  await using site = await startShop(1)
  await using running = await TestEngine.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
  await assert.rejects(running.submit({ ...spec(site, 1), llm: 'fallback' }), /SCRAPER_LLM_BASE_URL/)
})

test('tokens that a job spent before it was resumed still count', async () => {
  await using site = await startShop(3)
  await using endpoint = await answering(3_000)
  const options = { settings: settingsFor(site, endpoint) }
  await using running = await TestEngine.open(options)
  const asking = { llm: 'fallback', llmTokens: 10_000, concurrency: 1 } as const
  const { job, counts } = await running.run({ ...spec(site, 4), ...asking })
  assert.equal(counts.byState.failed, 1)
  assert.equal(counts.llmTokens, 9_000)
  await running.close()

  site.serve('/item/3', '<h1>Item 3</h1><p>For 103 only</p>')
  await using later = await TestEngine.open(options, running.folder)
  await later.engine.retry(job.id)
  await later.start()
  const [record] = await later.engine.data.store.records.ofTask(job.id, 4)
  assert.match(JSON.parse(record!.provenance!).price.why, /10000 tokens are used up/)
  assert.equal(endpoint.asked.length, 3)
})

const shopScraper = `import { defineScraper } from 'kscrape'
export default defineScraper({ id: 'shop', rules: { fields: { name: 'h1', price: { css: '.price', as: 'number', required: true } } } })
`

/** A scraper whose rules fail on the shop's pages, with one golden page. */
async function placeWithScraper(golden: { page: string; record: object }): Promise<Workplace> {
  const place = await Workplace.open()
  const files = {
    'scrapers/shop.ts': shopScraper,
    'scrapers/golden/shop/old/page.html': golden.page,
    'scrapers/golden/shop/old/record.json': JSON.stringify(golden.record),
  }
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(place.file(path)), { recursive: true })
    await writeFile(place.file(path), text)
  }
  return place
}

const proposing = () =>
  startLlmEndpoint(({ prompt }) => ({
    price: prompt.includes('CSS selectors') ? 'b' : String(Number(/Item (\d+)/.exec(prompt)![1]) + 100),
  }))

async function runShop(place: Workplace, site: TestSite, endpoint: LlmEndpoint) {
  for (let n = 0; n < 8; n++) site.serve(`/item/${n}`, `<h1>Item ${n}</h1><p>For <b>${n + 100}</b> only</p>`)
  const urls = Array.from({ length: 8 }, (_, n) => `${site.url}/item/${n}`)
  await writeFile(place.file('urls.txt'), urls.join('\n'))
  const env = { SCRAPER_LLM_BASE_URL: endpoint.baseUrl, SCRAPER_LLM_MODEL: 'small-1', SCRAPER_LANES: '2' }
  const flags = ['--scraper', 'shop', '--llm', 'propose-rules', '--job', 'shop', '-q', '-o', 'o.jsonl']
  const allow = ['--rate', '50/s', '--concurrency', '1', '--allow-private', `${site.host}:${site.port}`]
  const { code, stderr } = await place.run(['run', 'urls.txt', ...flags, ...allow], { env })
  assert.equal(code, 0, stderr)
  assert.deepEqual(
    (await place.records('o.jsonl')).map(({ price }) => price).sort(),
    [100, 101, 102, 103, 104, 105, 106, 107],
  )
  return (await place.run(['jobs', 'show', 'shop'])).stdout
}

test('if proposed rules pass the golden pages of the scraper, all lanes use them, and the job shows them', async () => {
  await using site = await startTestSite()
  await using endpoint = await proposing()
  const record = { name: 'Old', price: 5 }
  await using place = await placeWithScraper({
    page: '<h1>Old</h1><p class=price><b>5</b></p>',
    record,
  })
  const shown = await runShop(place, site, endpoint)
  assert.match(shown, /b {2}kept/)
  assert.match(shown, /compared with 1 golden pages? of the scraper/)
  assert.match(shown, /\d+ of 200000 tokens spent/)
  assert.equal(endpoint.asked.filter(({ prompt }) => prompt.includes('CSS selectors')).length, 1)
  assert.ok(endpoint.asked.length < 8, `${endpoint.asked.length} questions`)
})

test('if proposed rules fail a golden page of the scraper, they are dropped, and the model extracts the values', async () => {
  await using site = await startTestSite()
  await using endpoint = await proposing()
  const page = '<h1>Old</h1><b>1</b><p class=price>5</p>'
  await using place = await placeWithScraper({ page, record: { name: 'Old', price: 5 } })
  const shown = await runShop(place, site, endpoint)
  assert.match(shown, /b {2}dropped: golden page shop\/old: price is 1, but 5 is expected/)
  assert.equal(endpoint.asked.length, 9)
})

test('kscrape try asks the model for fields that the rules do not find', async () => {
  await using site = await startShop(1)
  await using endpoint = await answering()
  await using place = await Workplace.open()
  await writeFile(place.file('rules.yaml'), 'fields:\n  price: { css: .price, as: number, required: true }\n')
  const env = { SCRAPER_LLM_BASE_URL: endpoint.baseUrl, SCRAPER_LLM_MODEL: 'small-1' }
  const allow = ['--allow-private', `${site.host}:${site.port}`]
  const flags = ['try', `${site.url}/item/0`, '--extract', 'rules.yaml', ...allow]
  const without = await place.run([...flags, '--json'], { env })
  assert.deepEqual(JSON.parse(without.stdout).records, [])
  const { code, stdout, stderr } = await place.run([...flags, '--llm', 'fallback'], { env })
  assert.equal(code, 0, stderr)
  assert.match(stdout, /"price": 100/)
  assert.match(stdout, /price +llm small-1/)
  assert.equal((await place.run([...flags, '--llm', 'fallback'])).code, 2)
})

test('a job without rules, or without required fields, cannot use a model', async () => {
  await using site = await startShop(1)
  await using endpoint = await answering()
  await using running = await TestEngine.open({ settings: settingsFor(site, endpoint) })
  const job = { ...spec(site, 1), llm: 'fallback' } as const
  await assert.rejects(
    running.submit({ ...job, extract: { fields: { name: 'h1' } } }),
    /no required or wanted field/,
  )
  await assert.rejects(running.submit({ ...job, extract: undefined }), /it has no rules/)
  await assert.rejects(
    running.submit({ ...job, extract: undefined, scraperId: 'product' }),
    /scraper product is code/,
  )
})
