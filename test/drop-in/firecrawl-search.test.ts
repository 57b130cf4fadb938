// Tests Firecrawl's search over the records of the workspace, and over the web with a fake search engine on loopback.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { found as waitFor } from '../support/eventually.ts'
import { type Document, FirecrawlApi } from '../support/firecrawl.ts'

interface Found {
  web?: Array<Document & { url: string; title: string; description: string; position: number }>
  news?: Array<{ url: string; snippet: string; date: string }>
  images?: Array<{ url: string; imageUrl: string }>
  warning?: string
}
interface Searching {
  search(query: string, options?: Record<string, unknown>): Promise<Found>
}

/** The part of SearXNG's JSON interface that we use. */
async function startEngine(results: () => object[]) {
  const asked: URL[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://engine')
    asked.push(url)
    const isFirst = url.searchParams.get('pageno') === '1'
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ query: url.searchParams.get('q'), results: isFirst ? results() : [] }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    asked,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const lamp = (text: string) =>
  `<html><head><title>${text}</title></head><body><main><h1>${text}</h1><p>About ${text}.</p></main></body></html>`

describe('without a search engine', () => {
  let api: FirecrawlApi
  before(async () => {
    api = await FirecrawlApi.open()
    api.site.serve('/desk', lamp('Blue desk lamps'))
    api.site.serve('/floor', lamp('Blue floor lamps'))
    await api.client.batchScrape([`${api.site.url}/desk`, `${api.site.url}/floor`], { pollInterval: 1 })
  })
  after(() => api?.[Symbol.asyncDispose]())
  const search = (query: string, options?: Record<string, unknown>) =>
    (api.client as unknown as Searching).search(query, options)

  test('pages of the workspace are found, and the warning names the setting for web search', async () => {
    const found = await waitFor('the index', async () => {
      const { web = [], warning } = await search('desk lamps')
      return web.length > 0 ? { web, warning } : undefined
    })
    assert.equal(found.web[0]!.url, `${api.site.url}/desk`)
    assert.equal(found.web[0]!.title, 'Blue desk lamps')
    assert.match(found.web[0]!.description, /About Blue desk lamps/)
    assert.match(found.warning ?? '', /SCRAPER_SEARXNG_URL/)
  })

  test('pages with only some of the searched words come last, and the limit applies to all results', async () => {
    const { web = [] } = await search('desk lamps that shine', { limit: 2 })
    assert.deepEqual(
      web.map(({ url }) => new URL(url).pathname),
      ['/desk', '/floor'],
    )
    assert.equal((await search('lamps', { limit: 1 })).web?.length, 1)
  })

  test('a warning names sources that only Firecrawl has, and a search in only such sources is refused', async () => {
    const found = await search('lamps', { sources: ['web', 'alexandria'] })
    assert.equal(found.web?.length, 2)
    assert.deepEqual(Object.keys(found).toSorted(), ['warning', 'web'])
    assert.match(found.warning ?? '', /sources: "alexandria" is not supported/)
    await assert.rejects(search('lamps', { sources: ['alexandria'] }), /at least one of web, news, images/)
  })

  test('other workspaces find none of the pages', async () => {
    const { body } = await api.service.ask<{ key: string }>('/keys', {
      body: { name: 'other', workspace: 'other', scopes: ['read', 'submit'] },
    })
    const other = api.clientWith(body.key) as unknown as Searching
    assert.deepEqual((await other.search('lamps')).web, [])
  })

  test('the warning names options without an effect, and unknown options are refused', async () => {
    const { warning } = await search('lamps', { location: 'Graz', tbs: 'cdr:1', sources: ['web', 'news'] })
    for (const name of ['location', 'tbs', 'news'])
      assert.ok(warning?.includes(name), `${name} in ${warning}`)
    const { status } = await api.service.ask('/v2/search', { body: { query: 'x', bogus: 1 } })
    assert.equal(status, 400)
  })
})

describe('with a search engine', () => {
  let api: FirecrawlApi
  let engine: Awaited<ReturnType<typeof startEngine>>
  before(async () => {
    engine = await startEngine(() => [
      { url: `${api.site.url}/found`, title: 'Found', content: 'It was found.', publishedDate: '2026-01-02' },
      { url: 'http://10.0.0.1/', title: 'Inside', content: '', img_src: 'https://a.example/i.png' },
      { url: 'https://other.example/', title: 'Other', content: '' },
    ])
    api = await FirecrawlApi.open({ settings: { searxngUrl: engine.url } })
    api.site.serve('/found', lamp('A found page'))
  })
  after(async () => {
    await api?.[Symbol.asyncDispose]()
    await engine?.[Symbol.asyncDispose]()
  })
  const search = (query: string, options?: Record<string, unknown>) =>
    (api.client as unknown as Searching).search(query, options)

  test('results of the search engine are returned in its order, grouped by source', async () => {
    const {
      web = [],
      news = [],
      images = [],
      warning,
    } = await search('anything', {
      sources: ['web', 'news', 'images'],
      tbs: 'qdr:w',
    })
    assert.deepEqual(
      web.map(({ title, position }) => [title, position]),
      [
        ['Found', 1],
        ['Inside', 2],
        ['Other', 3],
      ],
    )
    assert.deepEqual([news[0]?.snippet, news[0]?.date], ['It was found.', '2026-01-02'])
    assert.equal(images[1]?.imageUrl, 'https://a.example/i.png')
    assert.equal(warning, undefined)
    assert.equal(engine.asked[0]!.searchParams.get('time_range'), 'week')
  })

  test('domain filters are sent to the engine, and results of other domains are left out', async () => {
    const { web = [] } = await search('anything', { includeDomains: ['other.example'], categories: ['pdf'] })
    assert.deepEqual(
      web.map(({ url }) => url),
      ['https://other.example/'],
    )
    assert.equal(engine.asked.at(-1)!.searchParams.get('q'), 'anything site:other.example filetype:pdf')
  })

  test('results are scraped if formats are requested; results with private addresses are never scraped', async () => {
    const { web = [], warning } = await search('anything', {
      excludeDomains: ['other.example'],
      scrapeOptions: { formats: ['markdown'] },
    })
    assert.match(String(web[0]?.markdown), /# A found page/)
    assert.equal(web[1]?.markdown, undefined)
    assert.match(warning ?? '', /10\.0\.0\.1/)
  })

  test('version 1 returns the results as a list', async () => {
    const { body } = await api.service.ask<{ data: Array<{ url: string }> }>('/v1/search', {
      body: { query: 'anything', limit: 1, scrapeOptions: { formats: ['markdown'] } },
    })
    assert.equal(body.data.length, 1)
    assert.match(JSON.stringify(body.data[0]), /# A found page/)
  })

  test('jobs cannot reach the search engine, although searches can', async () => {
    await assert.rejects(api.client.scrape(engine.url), /allow-private/)
  })
})
