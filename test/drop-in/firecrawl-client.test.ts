// Tests Firecrawl's official client, unmodified, against our server: versions 2 and 1 of its API, over the demo site.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Document, FirecrawlApi, type Watcher } from '../support/firecrawl.ts'

let api: FirecrawlApi
before(async () => {
  api = await FirecrawlApi.open()
  api.site.serve(
    '/one',
    '<title>One</title><h1>One</h1><p>The first page.</p><a href="/two">two</a><a href="/wall/captcha">walled</a>',
  )
  api.site.serve('/two', '<title>Two</title><h1>Two</h1><p>The second page.</p>')
})
after(() => api?.[Symbol.asyncDispose]())
const at = (path: string): string => `${api.site.url}${path}`
const urlsOf = (documents: Document[]): string[] =>
  documents.map(({ metadata }) => new URL(String(metadata.url)).pathname).sort()

/** Collects everything that a watcher sends until the job has ended. */
async function watched(watcher: Watcher) {
  const documents: Document[] = []
  watcher.on('document', told => documents.push(told as Document))
  const done = new Promise<Record<string, unknown>>((resolve, reject) => {
    watcher.on('done', resolve)
    watcher.on('error', told => reject(new Error(String(told.error))))
  })
  try {
    await watcher.start()
    return { documents, done: await done }
  } finally {
    // If the server refuses the watcher and the test does not close it, the watcher retries forever.
    watcher.close()
  }
}

const crawlOptions = { limit: 3, scrapeOptions: { formats: ['markdown'] } }

describe('version 2', () => {
  test('a scrape returns the requested formats, and the metadata of the page', async () => {
    const page = await api.client.scrape(at('/one'), { formats: ['markdown', 'html', 'rawHtml', 'links'] })
    assert.match(String(page.markdown), /^# One\n\nThe first page\./)
    assert.match(String(page.html), /<h1>One<\/h1>/)
    assert.match(String(page.rawHtml), /^<title>One<\/title>/)
    assert.deepEqual(page.links, [at('/two'), at('/wall/captcha')])
    const { title, sourceURL, statusCode, cacheState } = page.metadata
    assert.deepEqual([title, sourceURL, statusCode, cacheState], ['One', at('/one'), 200, 'miss'])
  })

  test('a page that answers 404 becomes a document with its status, and is not cached', async () => {
    for (const _ of [1, 2]) {
      const { metadata } = await api.client.scrape(at('/gone'))
      assert.equal(metadata?.statusCode, 404)
    }
    assert.equal(api.site.requestsTo('/gone').length, 2)
  })

  test('a page that responds with 500 to every attempt is returned as a document with this status', async () => {
    api.site.fail('/broken', 100, 500)
    const { id } = await api.client.startBatchScrape([at('/broken')])
    await api.service.ended(id)
    const { data } = await api.client.getBatchScrapeStatus(id)
    assert.equal(data[0]?.metadata?.statusCode, 500)
    assert.ok(api.site.requestsTo('/broken').length > 1, 'the page was requested again')
  })

  test('the client throws the error of a failed scrape once', async () => {
    const before = api.site.requestsTo('/wall/captcha').length
    await assert.rejects(api.client.scrape(at('/wall/captcha')), /captcha/i)
    assert.equal(api.site.requestsTo('/wall/captcha').length - before, 1)
  })

  test('a batch returns every page and lists the invalid URLs', async () => {
    const started = await api.client.startBatchScrape([at('/one'), at('/two'), 'http://'])
    assert.deepEqual(started.invalidURLs, ['http://'])
    const job = await api.client.batchScrape([at('/one'), at('/two')], { pollInterval: 1 })
    assert.deepEqual([job.status, job.completed, job.total, job.creditsUsed], ['completed', 2, 2, 2])
    assert.deepEqual(urlsOf(job.data), ['/one', '/two'])
  })

  test('the pages of a crawl can be read at the URLs that the crawl returns', async () => {
    const { id } = await api.client.startCrawl(at('/products'), { limit: 7, crawlEntireDomain: true })
    await api.service.ended(id)
    const first = await api.service.ask<{ next: string; data: unknown[] }>(`/v2/crawl/${id}?limit=3`)
    assert.equal(first.body.data.length, 3)
    assert.ok(first.body.next.startsWith(`${api.service.url}/v2/crawl/${id}?`))
    const skipped = await api.service.ask<{ data: unknown[] }>(`/v2/crawl/${id}?limit=3&skip=3`)
    const followed = await api.service.ask<{ data: unknown[] }>(first.body.next.slice(api.service.url.length))
    assert.deepEqual(skipped.body.data, followed.body.data)
    const whole = await api.client.getCrawlStatus(id)
    assert.deepEqual([whole.status, whole.data.length, whole.next], ['completed', 7, null])
    assert.equal(new Set(urlsOf(whole.data)).size, 7)
  })

  test('a crawl stays below its start URL unless an option says otherwise, and applies its path filters', async () => {
    const below = await api.client.crawl(at('/blog/'), { limit: 50, sitemap: 'skip', pollInterval: 1 })
    assert.ok(below.data.length > 2)
    assert.ok(urlsOf(below.data).every(path => path.startsWith('/blog/')))
    const chosen = await api.client.crawl(at('/'), {
      ...{ limit: 50, maxDiscoveryDepth: 2, sitemap: 'skip', pollInterval: 1 },
      ...{ includePaths: ['^/(about|jobs)$'], excludePaths: ['jobs'] },
    })
    assert.deepEqual(urlsOf(chosen.data), ['/', '/about'])
  })

  test('the client lists failed pages, and pages that robots.txt disallows', async () => {
    const { id } = await api.client.startBatchScrape([at('/one'), at('/wall/captcha'), at('/private/')])
    await api.service.ended(id)
    const { errors, robotsBlocked } = await api.client.getBatchScrapeErrors(id)
    assert.deepEqual(
      errors.map(({ url, code }) => [url, code]),
      [[at('/wall/captcha'), 'blocked.captcha']],
    )
    assert.deepEqual(robotsBlocked, [at('/private/')])
    const crawl = await api.client.startCrawl(at('/one'), {
      ...crawlOptions,
      crawlEntireDomain: true,
      sitemap: 'skip',
    })
    await api.service.ended(crawl.id)
    assert.deepEqual(
      (await api.client.getCrawlErrors(crawl.id)).errors.map(({ url }) => url),
      [at('/wall/captcha')],
    )
  })

  test('a crawl is listed as active until it is cancelled, and then has the status cancelled', async () => {
    using hold = api.site.hold('/two')
    const { id } = await api.client.startCrawl(at('/one'), {
      ...crawlOptions,
      crawlEntireDomain: true,
      sitemap: 'skip',
    })
    assert.ok((await api.client.getActiveCrawls()).crawls.some(crawl => crawl.id === id))
    assert.equal(await api.client.cancelCrawl(id), true)
    assert.equal((await api.client.getCrawlStatus(id)).status, 'cancelled')
    hold.release()
    await api.service.ended(id)
    assert.ok(!(await api.client.getActiveCrawls()).crawls.some(crawl => crawl.id === id))
    await assert.rejects(api.client.cancelCrawl('6a7f2a4e-0000-4000-8000-000000000000'), /Job not found/)
  })

  test('a map lists the URLs of a site, and the best matches of a search come first', async () => {
    const { links } = await api.client.map(at('/'), { limit: 20 })
    assert.equal(links.length, 20)
    const found = await api.client.map(at('/'), { search: 'lamps' })
    assert.ok(found.links.length > 0 && found.links.every(({ url }) => url.includes('lamp')))
    const one = await api.client.map(at('/'), { search: 'lamps', limit: 1 })
    assert.deepEqual(one.links, found.links.slice(0, 1), 'the limit applies to the found URLs')
  })

  test('the watcher gets every document of a running crawl, and the final status', async () => {
    using hold = api.site.hold('/two')
    const { id } = await api.client.startCrawl(at('/one'), {
      ...crawlOptions,
      crawlEntireDomain: true,
      sitemap: 'skip',
    })
    const told = watched(api.client.watcher(id, { kind: 'crawl' }))
    hold.release()
    const { documents, done } = await told
    assert.deepEqual(urlsOf(documents), ['/one', '/two'])
    assert.deepEqual(
      [done.status, done.completed, urlsOf(done.data as Document[])],
      ['completed', 2, ['/one', '/two']],
    )
  })

  test('a watcher of a batch that has already ended receives all its documents', async () => {
    const { id } = await api.client.startBatchScrape([at('/one'), at('/two')])
    await api.service.ended(id)
    const { documents, done } = await watched(api.client.watcher(id, { kind: 'batch' }))
    assert.deepEqual([urlsOf(documents), done.total], [['/one', '/two'], 2])
  })

  test('a watcher with another key, or of another job, is refused', async () => {
    const { id } = await api.client.startBatchScrape([at('/one')])
    await assert.rejects(watched(api.clientWith('no-such-key').watcher(id, { kind: 'batch' })), /is unknown/)
    await assert.rejects(watched(api.client.watcher('nobody', { kind: 'crawl' })), /Job not found/)
  })

  test('the routes for concurrency, credits and the queue return their numbers', async () => {
    assert.ok((await api.client.getConcurrency()).maxConcurrency > 0)
    assert.ok((await api.client.getCreditUsage()).remainingCredits > 0)
    assert.equal(typeof (await api.client.getQueueStatus()).jobsInQueue, 'number')
  })

  test('a wrong key and a wrong option have different errors', async () => {
    await assert.rejects(api.clientWith('no-such-key').scrape(at('/one')), /is unknown/)
    await assert.rejects(api.client.scrape(at('/one'), { bogus: true }), /bogus: unknown/)
  })
})

describe('version 1', () => {
  test('a scrape of version 1 returns its page', async () => {
    const page = await api.client.v1.scrapeUrl(at('/one'), { formats: ['markdown', 'links'] })
    assert.equal(page.success, true)
    assert.match(String(page.markdown), /The first page/)
  })

  test('a crawl is read page by page, and the responses have no field that the client cannot handle', async () => {
    const job = await api.client.v1.crawlUrl(
      at('/one'),
      { limit: 3, allowBackwardLinks: true, ignoreSitemap: true },
      1,
    )
    assert.deepEqual([job.success, job.status, urlsOf(job.data)], [true, 'completed', ['/one', '/two']])
    const status = await api.client.v1.checkCrawlStatus(
      (await api.client.v1.asyncCrawlUrl(at('/two'), { limit: 1 })).id,
      true,
    )
    assert.ok(['scraping', 'completed'].includes(status.status))
  })

  test('documents that do not fit into one response are all returned in further responses', async () => {
    const urls = Array.from({ length: 104 }, (_, index) => at(`/two?n=${index}`))
    const job = await api.client.v1.batchScrapeUrls(urls, { formats: ['markdown'] }, 1)
    assert.equal(job.data.length, 104)
  })

  test('reading the errors of a crawl does not cancel the crawl', async () => {
    // The first page stays in flight, so no page can have failed yet.
    using hold = api.site.hold('/one')
    const { id } = await api.client.v1.asyncCrawlUrl(at('/one'), {
      limit: 3,
      allowBackwardLinks: true,
      ignoreSitemap: true,
    })
    assert.deepEqual(await api.client.v1.checkBatchScrapeErrors(id), { errors: [], robotsBlocked: [] })
    await api.client.v1.checkCrawlErrors(id)
    hold.release()
    assert.equal((await api.service.ended(id)).status, 'partially_completed')
    assert.equal((await api.client.v1.checkCrawlErrors(id)).errors.length, 1)
  })

  test('a crawl of version 1 can be cancelled', async () => {
    using hold = api.site.hold('/two')
    const { id } = await api.client.v1.asyncCrawlUrl(at('/two'), { limit: 3 })
    assert.equal((await api.client.v1.cancelCrawl(id)).status, 'cancelled')
    hold.release()
    await api.service.ended(id)
  })

  test('a map of version 1 is a list of URLs', async () => {
    const { links } = await api.client.v1.mapUrl(at('/'), { limit: 5 })
    assert.equal(links.length, 5)
    assert.ok(links.every(url => typeof url === 'string'))
  })

  test('the watcher gets every document, and the end of the crawl once', async () => {
    using hold = api.site.hold('/two')
    const watcher = await api.client.v1.crawlUrlAndWatch(at('/one'), {
      limit: 3,
      allowBackwardLinks: true,
      ignoreSitemap: true,
    })
    const documents: Document[] = []
    let ends = 0
    watcher.addEventListener('document', told => documents.push((told as CustomEvent<Document>).detail))
    const done = new Promise<void>((resolve, reject) => {
      watcher.addEventListener('error', told => reject(new Error(String((told as CustomEvent).detail.error))))
      watcher.addEventListener('done', () => {
        ends += 1
        resolve()
      })
    })
    hold.release()
    await done
    assert.deepEqual([urlsOf(documents), ends, watcher.status], [['/one', '/two'], 1, 'completed'])
  })
})
