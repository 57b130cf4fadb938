// Tests Firecrawl's extract, agent, parse and usage with its official client, unmodified, against our server.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { FirecrawlApi } from '../support/firecrawl.ts'
import { type LlmEndpoint, startLlmEndpoint } from '../support/llm-endpoint.ts'
import { pdfFile } from '../support/pdf-file.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'

interface Result {
  success: boolean
  status: string
  id?: string
  data?: unknown
  error?: string
  warning?: string
  sources?: Record<string, string[]>
}
interface Client {
  extract(args: Record<string, unknown>): Promise<Result>
  startExtract(args: Record<string, unknown>): Promise<Result & { id: string; invalidURLs?: string[] }>
  agent(args: Record<string, unknown>): Promise<Result>
  startAgent(args: Record<string, unknown>): Promise<Result & { id: string }>
  listAgents(): Promise<{ agents: Array<{ id: string; status: string }> }>
  cancelAgent(id: string): Promise<boolean>
  parse(
    file: { data: Buffer | string; filename: string; contentType?: string },
    options?: object,
  ): Promise<ParsedFile>
  getTokenUsage(): Promise<{ remainingTokens: number }>
  getCreditUsageHistorical(
    byKey?: boolean,
  ): Promise<{ periods: Array<{ creditsUsed: number; apiKey?: string }> }>
  getTokenUsageHistorical(): Promise<{ periods: Array<{ tokensUsed: number }> }>
}
interface ParsedFile {
  markdown?: string
  json?: unknown
  summary?: string
  links?: string[]
  metadata: Record<string, unknown>
}

const product = (name: string, price: string) =>
  `<html><head><title>${name}</title><script type="application/ld+json">
  {"@type":"Product","name":"${name}","sku":"${name}-1","offers":{"price":"${price}"}}</script></head>
  <body><main><h1>${name}</h1><p>The ${name} is built in Graz.</p><a href="/shop/more">more</a></main></body></html>`

const text = { type: 'string' }
const schema = { type: 'object', properties: { name: text, price: { type: 'number' } } }
const list = { type: 'array', items: schema }

const open = async (settings = {}) => {
  const api = await FirecrawlApi.open({ settings })
  api.site.serve('/shop/', product('Lamp', '12.50'))
  api.site.serve('/shop/chair', product('Chair', '80'))
  api.site.serve('/shop/more', product('More', '1'))
  api.site.serve('/blank', '<html><head></head><body><main><p>Nothing here.</p></main></body></html>')
  return { api, client: api.client as unknown as Client, at: (path: string) => `${api.site.url}${path}` }
}

describe('without a model', () => {
  let opened: Awaited<ReturnType<typeof open>>
  let receiver: WebhookReceiver
  before(async () => {
    receiver = await WebhookReceiver.open()
    opened = await open({ allowPrivate: [receiver.place] })
  })
  after(async () => {
    await opened?.api[Symbol.asyncDispose]()
    await receiver?.[Symbol.asyncDispose]()
  })

  test('fields come from the structured data of several pages, with their sources', async () => {
    const { client, at } = opened
    const urls = [at('/blank'), at('/shop/'), at('/shop/chair')]
    const result = await client.extract({ urls, schema, showSources: true })
    assert.deepEqual([result.status, result.data], ['completed', { name: 'Lamp', price: 12.5 }])
    assert.deepEqual(result.sources, { name: [at('/shop/')], price: [at('/shop/')] })
  })

  test('a list contains the items of all pages', async () => {
    const { client, at } = opened
    serveLists(opened)
    const { data } = await client.extract({ urls: [at('/list-1'), at('/list-2')], schema: list })
    assert.deepEqual(
      (data as Array<{ name: string }>).map(({ name }) => name),
      ['A', 'B', 'C', 'D', 'E'],
    )
  })

  test('a URL that ends with /* selects the pages below it, and no other pages of the site', async () => {
    const { client, api, at } = opened
    const { id } = await client.startExtract({ urls: [at('/shop/*')], schema, limit: 10 })
    await api.service.ended(id)
    const { body } = await api.service.ask<{ data: Array<{ metadata: { url: string } }> }>(`/v2/crawl/${id}`)
    const paths = body.data.map(({ metadata }) => new URL(metadata.url).pathname).sort()
    assert.deepEqual(paths, ['/shop/', '/shop/more'])
  })

  test('if no page has any of the fields, the error names the settings for a model', async () => {
    const { client, at } = opened
    const properties = { weight: text, color: text }
    const result = await client.extract({ urls: [at('/blank')], schema: { type: 'object', properties } })
    assert.equal(result.status, 'failed')
    assert.match(result.error ?? '', /no language model is set up; .*SCRAPER_LLM_BASE_URL/)
  })

  test('without a model, a prompt without fields is refused, and the error names the settings for a model', async () => {
    const { client, at } = opened
    await assert.rejects(
      client.extract({ urls: [at('/shop/')], prompt: 'the price' }),
      /SCRAPER_LLM_BASE_URL/,
    )
    await assert.rejects(client.extract({ urls: [at('/shop/')] }), /name the fields in a JSON Schema/)
    await assert.rejects(client.agent({ prompt: 'lamps', schema }), /SCRAPER_SEARXNG_URL/)
  })

  test('invalid URLs are listed, and the error names the pages that failed', async () => {
    const { client, at } = opened
    const started = await client.startExtract({ urls: [at('/shop/'), 'http://10.0.0.1/'], schema })
    assert.deepEqual(started.invalidURLs, ['http://10.0.0.1/'])
    const { status, error } = await client.extract({ urls: [at('/wall/captcha')], schema })
    assert.equal(status, 'failed')
    assert.match(error ?? '', /captcha/i)
  })

  test('an agent is listed, sends a webhook at its end, and can be cancelled', async () => {
    const { client, api, at } = opened
    const webhook = { url: receiver.url, metadata: { of: 'agent' } }
    const result = await client.agent({
      urls: [at('/shop/')],
      prompt: 'a lamp',
      schema,
      webhook,
      model: 'spark-2',
    })
    assert.deepEqual([result.status, result.data], ['completed', { name: 'Lamp', price: 12.5 }])
    assert.match(result.warning ?? '', /model: ignored.*prompt: it needs a language model/)
    const told = (await receiver.has(2)).map(
      ({ body }) => JSON.parse(body) as { type: string; data: unknown[] },
    )
    assert.deepEqual(
      told.map(({ type, data }) => [type, data]),
      [
        ['agent.started', []],
        ['agent.completed', [{ name: 'Lamp', price: 12.5 }]],
      ],
    )
    using hold = api.site.hold('/shop/chair')
    const { id } = await client.startAgent({ urls: [at('/shop/chair')], prompt: 'a chair', schema })
    assert.ok(
      (await client.listAgents()).agents.some(agent => agent.id === id && agent.status === 'processing'),
    )
    assert.equal(await client.cancelAgent(id), true)
    hold.release()
    await assert.rejects(
      client.startAgent({ prompt: 'x', mode: 'chat', schema }),
      /conversations are not supported/,
    )
  })

  test('an extraction of another workspace is not found', async () => {
    const { client, api, at } = opened
    const { id } = await client.startExtract({ urls: [at('/shop/')], schema })
    const { body } = await api.service.ask<{ key: string }>('/keys', {
      body: { name: 'other', workspace: 'other', scopes: ['read', 'submit'] },
    })
    for (const path of [`/v2/extract/${id}`, `/v1/extract/${id}`, `/v2/agent/${id}`])
      assert.equal((await api.service.ask(path, { key: body.key })).status, 404, path)
  })

  test('usage is returned by month and by key', async () => {
    const { client } = opened
    assert.ok((await client.getTokenUsage()).remainingTokens > 0)
    const { periods } = await client.getCreditUsageHistorical()
    assert.ok(periods.at(-1)!.creditsUsed > 0)
    assert.equal(typeof (await client.getCreditUsageHistorical(true)).periods[0]?.apiKey, 'string')
    assert.equal((await client.getTokenUsageHistorical()).periods.at(-1)?.tokensUsed, 0)
  })
})

function serveLists({ api }: Awaited<ReturnType<typeof open>>): void {
  const things = (names: string[]) =>
    names.map(name => ({ '@type': 'Product', name, offers: { price: name.charCodeAt(0) } }))
  const page = (names: string[]) =>
    `<html><head><title>List</title><script type="application/ld+json">${JSON.stringify(things(names))}</script></head><body><p>A list.</p></body></html>`
  api.site.serve('/list-1', page(['A', 'B', 'C']))
  api.site.serve('/list-2', page(['C', 'D', 'E']))
}

describe('with a model', () => {
  let opened: Awaited<ReturnType<typeof open>>
  let endpoint: LlmEndpoint
  before(async () => {
    endpoint = await startLlmEndpoint(({ fields }) => {
      if (fields[0] === 'summary') return { summary: 'A short file.' }
      if (fields[0] === 'fields')
        return { fields: [{ name: 'city', kind: 'string', description: '', of: [] }] }
      return { city: 'Graz' }
    })
    opened = await open({ llmBaseUrl: endpoint.baseUrl, llmModel: 'small-1' })
  })
  after(async () => {
    await opened?.api[Symbol.asyncDispose]()
    await endpoint?.[Symbol.asyncDispose]()
  })

  test('the model turns a prompt into field names, and extracts these fields from the page', async () => {
    const { client, at } = opened
    const result = await client.extract({ urls: [at('/shop/')], prompt: 'where is it built' })
    assert.deepEqual([result.status, result.data], ['completed', { city: 'Graz' }])
    const { periods } = await client.getTokenUsageHistorical()
    assert.equal(periods.at(-1)?.tokensUsed, 200, 'one question for the fields, one for the page')
  })

  test('the model summarizes an uploaded file', async () => {
    const { client } = opened
    const { summary } = await client.parse(
      { data: 'Some words.', filename: 'a.txt' },
      { formats: ['summary'] },
    )
    assert.equal(summary, 'A short file.')
  })
})

describe('parse', () => {
  let opened: Awaited<ReturnType<typeof open>>
  before(async () => {
    opened = await open({ pii: 'mask' })
  })
  after(() => opened?.api[Symbol.asyncDispose]())

  test('HTML, PDF, Markdown and text files become markdown', async () => {
    const { client } = opened
    const html = { data: product('Lamp', '5'), filename: 'lamp.html', contentType: 'text/html' }
    const page = await client.parse(html, { formats: ['markdown', 'links', { type: 'json', schema }] })
    assert.match(page.markdown ?? '', /# Lamp\n\nThe Lamp is built in Graz/)
    assert.deepEqual(page.json, { name: 'Lamp', price: 5 })
    assert.deepEqual([page.metadata.sourceURL, page.metadata.statusCode], ['lamp.html', 200])
    const pdf = await client.parse({
      data: pdfFile({ pages: [[{ text: 'Invoice number: 17', size: 12, x: 72, y: 700 }]] }),
      filename: 'invoice.pdf',
    })
    assert.match(pdf.markdown ?? '', /Invoice number: 17/)
    const notes = await client.parse({ data: '# Notes\n\nOne.', filename: 'notes.md' })
    assert.match(notes.markdown ?? '', /# Notes/)
  })

  test('personal data is masked if the operator configures it', async () => {
    const { client } = opened
    const { markdown } = await client.parse({ data: 'Write to ann@shop.example.', filename: 'a.txt' })
    assert.doesNotMatch(markdown ?? '', /ann@shop\.example/)
  })

  test('the error for an unreadable file names the file, and the error for a format that needs a web page names the format', async () => {
    const { client, api } = opened
    const zip = { data: Buffer.from([80, 75, 3, 4, 0, 0, 0, 0]), filename: 'a.zip' }
    await assert.rejects(client.parse(zip), /"a\.zip".*PDF/)
    await assert.rejects(
      client.parse({ data: 'x', filename: 'a.txt' }, { formats: ['branding'] as never }),
      /branding/,
    )
    const { status } = await api.service.ask('/v2/parse', { body: { file: 'x' } })
    assert.equal(status, 415)
  })

  test('parsing an uploaded file creates no job', async () => {
    const { client, api } = opened
    const before = await api.service.ask<{ jobs: unknown[] }>('/jobs')
    await client.parse({ data: 'x y z', filename: 'a.txt' })
    const after = await api.service.ask<{ jobs: unknown[] }>('/jobs')
    assert.deepEqual(after.body.jobs, before.body.jobs)
  })
})
