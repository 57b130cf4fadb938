// Tests the watchers and the counts of Firecrawl's official clients, 3.x and 4.x, unmodified, against our server.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type ClientFolder, type Document, FirecrawlApi, type Watcher } from '../support/firecrawl.ts'

const clients: Array<[string, ClientFolder]> = [
  ['3.x', 'firecrawl-3'],
  ['4.x', 'firecrawl'],
]

interface Done {
  status: string
  data: Document[]
  completed?: number
  total?: number
}

/** Collects all events until the end, in order. */
async function watched(watcher: Watcher): Promise<{ events: string[]; done: Done; documents: Document[] }> {
  const events: string[] = []
  const documents: Document[] = []
  const { promise, resolve, reject } = Promise.withResolvers<Done>()
  watcher.on('document', told => {
    events.push('document')
    documents.push(told as Document)
  })
  watcher.on('snapshot', () => void events.push('snapshot'))
  watcher.on('error', told => reject(new Error(String(told.error))))
  watcher.on('done', told => {
    events.push('done')
    resolve(told as unknown as Done)
  })
  try {
    await watcher.start()
    return { events, done: await promise, documents }
  } finally {
    watcher.close()
  }
}

for (const [version, folder] of clients)
  describe(`the client ${version}`, () => {
    let api: FirecrawlApi
    before(async () => {
      api = await FirecrawlApi.open({}, folder)
      api.site.serve('/one', '<title>One</title><h1>One</h1><p>The first page.</p><a href="/two">two</a>')
      api.site.serve('/two', '<title>Two</title><h1>Two</h1><p>The second page.</p>')
    })
    after(() => api?.[Symbol.asyncDispose]())
    const at = (path: string): string => `${api.site.url}${path}`
    const crawl = { limit: 2, crawlEntireDomain: true, sitemap: 'skip' }

    test('the watcher gets every document of a running crawl once, and at the end one message with all of them', async () => {
      using hold = api.site.hold('/two')
      const { id } = await api.client.startCrawl(at('/one'), crawl)
      const told = watched(api.client.watcher(id, { kind: 'crawl' }))
      hold.release()
      const { events, done, documents } = await told
      assert.equal(documents.length, 2)
      assert.equal(events.filter(event => event === 'done').length, 1)
      assert.deepEqual([done.status, done.data.length], ['completed', 2])
    })

    test('the watcher of a batch that has already ended gets all documents and the final message at once', async () => {
      const { id } = await api.client.startBatchScrape([at('/one'), at('/two')])
      await api.service.ended(id)
      const { done, documents } = await watched(api.client.watcher(id, { kind: 'batch' }))
      assert.deepEqual([done.status, done.data.length, documents.length], ['completed', 2, 2])
    })

    test('the watcher learns that a crawl was cancelled, without polling repeatedly', async () => {
      using hold = api.site.hold('/two')
      const { id } = await api.client.startCrawl(at('/one'), crawl)
      const told = watched(api.client.watcher(id, { kind: 'crawl' }))
      await api.client.cancelCrawl(id)
      hold.release()
      assert.equal((await told).done.status, 'cancelled')
    })
  })

describe('counts', () => {
  let api: FirecrawlApi
  before(async () => {
    api = await FirecrawlApi.open()
    const links = Array.from({ length: 30 }, (_, n) => `<a href="/n/${n}">${n}</a>`).join('')
    api.site.serve('/many', `<title>Many</title><h1>Many</h1><p>Links.</p>${links}`)
    for (let n = 0; n < 30; n++)
      api.site.serve(`/n/${n}`, `<title>${n}</title><h1>Page ${n}</h1><p>Number ${n} of thirty.</p>`)
  })
  after(() => api?.[Symbol.asyncDispose]())
  const at = (path: string): string => `${api.site.url}${path}`

  test('a crawl that finds more pages than its limit never reports a count above the limit', async () => {
    using hold = api.site.hold('/n/0')
    const options = { limit: 3, crawlEntireDomain: true, sitemap: 'skip' }
    const { id } = await api.client.startCrawl(at('/many'), options)
    const { promise, resolve } = Promise.withResolvers<{ completed: number; total: number }>()
    const watcher = api.client.watcher(id, { kind: 'crawl' })
    watcher.on('document', async () => resolve(await api.client.getCrawlStatus(id, { autoPaginate: false })))
    void watcher.start()
    const during = await promise
    assert.ok(during.completed <= during.total && during.total <= 3, JSON.stringify(during))
    hold.release()
    await api.service.ended(id)
    const { completed, total, data } = await api.client.getCrawlStatus(id)
    assert.deepEqual([completed, total, data.length], [3, 3, 3])
    watcher.close()
  })

  test('failed pages are listed as errors, and count neither as completed nor in the total', async () => {
    const { id } = await api.client.startBatchScrape([at('/n/1'), at('/wall/captcha')])
    await api.service.ended(id)
    const { completed, total, data } = await api.client.getBatchScrapeStatus(id)
    assert.deepEqual([completed, total, data.length], [1, 1, 1])
    assert.equal((await api.client.getBatchScrapeErrors(id)).errors.length, 1)
  })

  test('invalid URLs and forbidden addresses are listed, and the other URLs are scraped', async () => {
    const bad = ['http://', 'ftp://a.example/x', 'http://10.0.0.1/', 'inside-name']
    const started = await api.client.startBatchScrape([at('/n/2'), ...bad], { ignoreInvalidURLs: true })
    assert.deepEqual(started.invalidURLs, bad)
    await api.service.ended(started.id)
    assert.equal((await api.client.getBatchScrapeStatus(started.id)).completed, 1)
    await assert.rejects(
      api.client.startBatchScrape([at('/n/2'), 'http://10.0.0.1/'], { ignoreInvalidURLs: false }),
      /10\.0\.0\.1/,
    )
  })
})
