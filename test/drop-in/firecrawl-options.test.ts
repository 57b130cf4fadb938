// Tests the effect of Firecrawl's options: formats, tags, cache, changes and webhooks. Unsupported options give a warning.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type Document, FirecrawlApi } from '../support/firecrawl.ts'
import { startLlmEndpoint } from '../support/llm-endpoint.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'

const secret = 'the-secret-of-these-tests'
const shop = `<html lang="en"><head><title>A lamp</title><meta name="description" content="It gives light">
  <meta property="og:title" content="Lamp"><link rel="icon" href="/icon.png">
  <script type="application/ld+json">{"@type":"Product","name":"Lamp","sku":"L-1","offers":{"price":"12.50","priceCurrency":"EUR"}}</script></head>
  <body><nav><a href="/menu">Menu</a></nav><main><h1>A lamp</h1><p class="said">It gives light.</p>
  <p class="small">Small print</p><img src="/lamp.png"><img src="data:image/png;base64,AAAA" alt="dot">
  <a href="/buy" data-id="7">Buy</a></main></body></html>`

/** The feed is served as HTML, as many feeds are. */
const feed = `<?xml version="1.0"?><rss version="2.0"><channel><title>Tides</title><link>https://tide.example/</link>
  <item><title>Boats</title><link>https://tide.example/boats</link><pubDate>Tue, 05 Mar 2024 09:30:00 GMT</pubDate>
  <description>&lt;p&gt;A &lt;b&gt;short&lt;/b&gt; look.&lt;/p&gt;</description></item>
  <item><title>Oars</title><guid>https://tide.example/oars</guid><description>Ash.</description></item></channel></rss>`

interface Answer {
  success: boolean
  data: Document
  warning?: string
  error?: string
  code?: string
}

let api: FirecrawlApi
let receiver: WebhookReceiver
before(async () => {
  receiver = await WebhookReceiver.open()
  api = await FirecrawlApi.open({ settings: { allowPrivate: [receiver.place], webhookSecret: [secret] } })
  api.site.serve('/lamp', shop)
  api.site.serve('/tides.xml', feed)
})
after(async () => {
  await api?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
})
const at = (path: string): string => `${api.site.url}${path}`

async function scrape(
  body: Record<string, unknown>,
  version = 2,
  key?: string,
): Promise<Answer & { status: number }> {
  const sent = { url: at('/lamp'), ...body }
  const answer = await api.service.ask<Answer>(`/v${version}/scrape`, { body: sent, ...(key && { key }) })
  return { ...answer.body, status: answer.status }
}

describe('formats', () => {
  test('a scrape returns the main content, the whole page, or only the included tags without the excluded ones', async () => {
    const markdown = async (options: Record<string, unknown>) => String((await scrape(options)).data.markdown)
    assert.doesNotMatch(await markdown({}), /Menu/)
    assert.match(await markdown({ onlyMainContent: false }), /Menu/)
    assert.equal(await markdown({ includeTags: ['.said', 'h1'] }), '# A lamp\n\nIt gives light.')
    assert.doesNotMatch(await markdown({ excludeTags: ['.small'] }), /Small print/)
  })

  test('a feed becomes one document with all entries', async () => {
    for (const version of [1, 2]) {
      const { data } = await scrape({ url: at('/tides.xml'), formats: ['markdown', 'links'] }, version)
      assert.equal(
        data.markdown,
        '# Tides\n\n## [Boats](https://tide.example/boats)\n\n2024-03-05T09:30:00.000Z\n\nA **short** look.\n\n## [Oars](https://tide.example/oars)\n\nAsh.',
      )
      assert.deepEqual(data.links, ['https://tide.example/boats', 'https://tide.example/oars'])
      assert.equal(data.metadata.title, 'Tides')
    }
  })

  test('fields of a schema come from the entries of a feed', async () => {
    const properties = { headline: { type: 'string' }, url: { type: 'string' } }
    const schema = {
      properties: {
        title: { type: 'string' },
        items: { type: 'array', items: { type: 'object', properties } },
      },
    }
    const { data } = await scrape({ url: at('/tides.xml'), formats: [{ type: 'json', schema }] })
    assert.deepEqual(data.json, {
      title: 'Tides',
      items: [
        { headline: 'Boats', url: 'https://tide.example/boats' },
        { headline: 'Oars', url: 'https://tide.example/oars' },
      ],
    })
  })

  test('the warning of a document includes the warnings about its page', async () => {
    api.site.serve('/no-tides.xml', '<rss version="2.0"><channel><title>Tides</title></channel></rss>')
    const { data } = await scrape({ url: at('/no-tides.xml') })
    assert.equal(data.markdown, '# Tides')
    assert.match(String(data.warning), /feed\.empty: the feed .*no-tides\.xml has no entries/)
  })

  test('a scrape returns html without excluded parts, the raw page, links, images and attributes', async () => {
    const { data } = await scrape({
      formats: [
        ...['html', 'rawHtml', 'links', 'images'],
        { type: 'attributes', selectors: [{ selector: 'a[data-id]', attribute: 'data-id' }] },
      ],
      excludeTags: ['.small'],
    })
    assert.match(String(data.html), /<h1>A lamp<\/h1>/)
    assert.doesNotMatch(String(data.html), /Small print|Menu/)
    assert.equal(data.rawHtml, shop)
    assert.deepEqual(data.images, [at('/lamp.png')])
    assert.ok((data.links as string[]).includes(at('/buy')))
    assert.deepEqual(data.attributes, [{ selector: 'a[data-id]', attribute: 'data-id', values: ['7'] }])
    assert.equal(data.markdown, undefined)
  })

  test('fields of a schema come from structured data of the page, and missing fields are named', async () => {
    const schema = {
      type: 'object',
      properties: {
        ...{ name: { type: 'string' }, sku: { type: 'string' }, colour: { type: 'string' } },
        offers: { type: 'object', properties: { price: { type: 'string' } } },
      },
    }
    const { data } = await scrape({ formats: [{ type: 'json', schema }] })
    assert.deepEqual(data.json, { name: 'Lamp', sku: 'L-1', colour: null, offers: { price: '12.50' } })
    assert.match(String(data.warning), /json: colour: .*no model is configured/)
    const first = await scrape({ formats: ['extract'], extract: { schema } }, 1)
    assert.deepEqual([first.data.extract, first.data.json], [data.json, data.json])
  })

  test('the metadata of a page has Firecrawl’s field names', async () => {
    const { metadata } = (await scrape({})).data
    const { title, description, language, ogTitle, favicon, contentType, proxyUsed } = metadata
    assert.deepEqual(
      [title, description, language, ogTitle, favicon, contentType, proxyUsed],
      ['A lamp', 'It gives light', 'en', 'Lamp', at('/icon.png'), 'text/html; charset=utf-8', 'basic'],
    )
  })

  test('inline images are removed unless the request asks for them', async () => {
    api.site.serve('/inline', '<h1>x</h1><p>words and words <img alt="dot" src="x.png"></p>')
    const { data } = await scrape({ url: at('/inline') })
    assert.doesNotMatch(String(data.markdown), /data:/)
  })
})

describe('json with a model', () => {
  test('rules fill fields first, then the model fills missing ones, and fields without a value are null', async () => {
    await using endpoint = await startLlmEndpoint(() => ({ maker: 'Luxor Ltd', weight: null }))
    const llm = { llmBaseUrl: endpoint.baseUrl, llmModel: 'small-1' }
    await using asking = await FirecrawlApi.open({ settings: llm })
    asking.site.serve('/lamp', shop.replace('Small print', 'Made by Luxor Ltd'))
    const text = { type: 'string' }
    const maker = { ...text, description: 'the company that builds the lamp' }
    const schema = { type: 'object', properties: { name: text, maker, weight: text } }
    const page = await asking.client.scrape(`${asking.site.url}/lamp`, {
      formats: [{ type: 'json', schema, prompt: 'I compare lamps' }, 'markdown'],
    })
    assert.deepEqual(page.json, { name: 'Lamp', maker: 'Luxor Ltd', weight: null })
    assert.deepEqual(
      endpoint.asked.map(({ fields }) => fields),
      [['maker', 'weight']],
    )
    assert.match(endpoint.asked[0]!.prompt, /What the caller wants: I compare lamps\n/)
    const asked = JSON.stringify(endpoint.asked[0]!.body.response_format)
    assert.match(asked, /maker \(the company that builds the lamp\)/)
    assert.match(String(page.markdown), /Made by Luxor Ltd/)
    assert.match(String(page.warning), /json: weight: neither/)
  })
})

describe('the cache', () => {
  test('a fresh cached page is not requested again', async () => {
    api.site.serve('/cached', '<h1>Cached</h1><p>once</p>')
    const states = []
    for (const maxAge of [60_000, 60_000])
      states.push((await scrape({ url: at('/cached'), maxAge, formats: ['markdown', 'rawHtml'] })).data)
    assert.deepEqual(
      states.map(({ metadata }) => metadata.cacheState),
      ['miss', 'hit'],
    )
    assert.deepEqual(
      states.map(({ rawHtml }) => rawHtml),
      Array(2).fill('<h1>Cached</h1><p>once</p>'),
    )
    assert.equal(api.site.requestsTo('/cached').length, 1)
    await scrape({ url: at('/cached'), storeInCache: false })
    assert.equal(api.site.requestsTo('/cached').length, 2)
  })
})

describe('changeTracking', () => {
  test('the change status of a page is new, then same, then changed with a diff, separately for each tag', async () => {
    const track = async (tag?: string) => {
      const formats = [
        'markdown',
        { type: 'changeTracking', modes: ['git-diff', 'json'], ...(tag && { tag }) },
      ]
      const { data } = await scrape({ url: at('/changing'), maxAge: 0, formats })
      return data.changeTracking as Record<string, unknown> & { diff?: { text: string; json: object } }
    }
    api.site.serve('/changing', '<main><h1>Price</h1><p>It is 5 euro.</p></main>')
    const [first, second] = [await track(), await track()]
    assert.deepEqual([first.changeStatus, first.previousScrapeAt], ['new', null])
    assert.deepEqual([second.changeStatus, typeof second.previousScrapeAt], ['same', 'string'])
    api.site.serve('/changing', '<main><h1>Price</h1><p>It is 6 euro.</p></main>')
    const third = await track()
    assert.equal(third.changeStatus, 'changed')
    assert.match(third.diff!.text, /-It is 5 euro\.\n\+It is 6 euro\./)
    assert.match(JSON.stringify(third.diff!.json), /"type":"add"/)
    assert.equal((await track('another')).changeStatus, 'new')
  })

  test('a scrape without changeTracking is the baseline for the next scrape', async () => {
    api.site.serve('/plain-first', '<main><h1>Price</h1><p>It is 5 euro.</p></main>')
    await scrape({ url: at('/plain-first'), maxAge: 0 })
    api.site.serve('/plain-first', '<main><h1>Price</h1><p>It is 7 euro.</p></main>')
    const formats = ['markdown', { type: 'changeTracking', modes: ['git-diff'] }]
    const { data } = await scrape({ url: at('/plain-first'), maxAge: 0, formats })
    const { changeStatus, diff } = data.changeTracking as { changeStatus: string; diff: { text: string } }
    assert.equal(changeStatus, 'changed')
    assert.match(diff.text, /-It is 5 euro\.\n\+It is 7 euro\./)
  })

  test('the change status of a batch is the same each time it is read', async () => {
    api.site.serve('/steady', '<main><h1>Steady</h1><p>as ever</p></main>')
    const body = { urls: [at('/steady')], maxAge: 0, formats: ['markdown', { type: 'changeTracking' }] }
    const { body: batch } = await api.service.ask<{ id: string }>('/v2/batch/scrape', { body })
    await api.service.ended(batch.id)
    const look = async () => {
      const { body: job } = await api.service.ask<{ data: Document[] }>(`/v2/batch/scrape/${batch.id}`)
      return (job.data[0]!.changeTracking as { changeStatus: string }).changeStatus
    }
    assert.deepEqual([await look(), await look()], ['new', 'new'])
  })
})

describe('unsupported options', () => {
  test('a summary without a model is refused, and the error names the settings for a model', async () => {
    const { status, error } = await scrape({ formats: ['markdown', 'summary'] })
    assert.equal(status, 400)
    assert.match(String(error), /"summary" needs a language model.*SCRAPER_LLM_BASE_URL/)
  })

  test('the warning of a scrape names each unsupported option', async () => {
    const { warning, data, success } = await scrape({
      ...{
        formats: ['markdown', 'video', { type: 'json', prompt: 'all of it' }],
        minAge: 5,
        fastMode: true,
      },
      ...{
        location: { country: 'DE', languages: ['de'] },
        skipTlsVerification: true,
        zeroDataRetention: true,
      },
      ...{ parsers: [], threatProtection: {} },
    })
    assert.equal(success, true)
    for (const name of [
      'video',
      'json with only a prompt',
      'minAge',
      'fastMode',
      'location.country',
      'skipTlsVerification',
    ])
      assert.ok(warning?.includes(name), `${name} in ${warning}`)
    for (const name of ['zeroDataRetention', 'parsers', 'threatProtection'])
      assert.ok(warning?.includes(name), name)
    assert.equal(data.warning, warning)
    assert.equal(api.site.requestsTo('/lamp').at(-1)?.headers['accept-language'], 'de')
  })

  test('the response to a new crawl names the options that are not supported', async () => {
    const body = { url: at('/lamp'), limit: 1, prompt: 'only blog posts', robotsUserAgent: 'me' }
    const started = await api.service.ask<Answer>('/v2/crawl', { body })
    assert.match(started.body.warning!, /prompt: .* · robotsUserAgent: /)
  })

  test('unknown and invalid options are refused, and the error names the option', async () => {
    const typo = await scrape({ onlyMainContnet: true })
    assert.deepEqual([typo.status, typo.success, typo.code], [400, false, 'BAD_REQUEST'])
    assert.match(typo.error!, /onlyMainContnet: unknown; did you mean "onlyMainContent"\?/)
    assert.equal((await scrape({ waitFor: 50_000, timeout: 60_000 })).status, 400)
    assert.match((await scrape({ includeTags: ['p['] })).error!, /includeTags/)
    const paths = { url: at('/'), includePaths: ['(?=x)'] }
    assert.match((await api.service.ask<Answer>('/v2/crawl', { body: paths })).body.error!, /is a lookaround/)
  })

  test('a key without the scopes for stealth and ignoring robots.txt is refused', async () => {
    const key = await api.service.key({ scopes: ['submit'] })
    assert.equal((await scrape({ proxy: 'stealth' }, 2, key)).status, 403)
    const crawl = { url: at('/lamp'), ignoreRobotsTxt: true, limit: 1 }
    assert.equal((await api.service.ask('/v2/crawl', { body: crawl, key })).status, 403)
  })
})

describe('responses that Firecrawl’s clients depend on', () => {
  test('starting a job answers 200, every response has `success`, and invalid JSON has its own error code', async () => {
    const started = await api.service.ask<Answer>('/v2/batch/scrape', { body: { urls: [at('/lamp')] } })
    assert.deepEqual([started.status, started.body.success], [200, true])
    const broken = await api.service.ask<Answer>('/v2/scrape', { raw: '{"url":' })
    assert.deepEqual([broken.status, broken.body.code], [400, 'BAD_REQUEST_INVALID_JSON'])
  })

  test('no response has status 502, because Firecrawl’s client would retry it', async () => {
    api.site.serve('/broken', { status: 502, headers: {}, body: 'bad gateway' })
    const answer = await scrape({ url: at('/broken'), timeout: 2_000 })
    assert.ok(answer.status !== 502 && answer.status >= 400, String(answer.status))
  })

  test('a page that takes too long gives 408, with Firecrawl’s code', async () => {
    using hold = api.site.hold('/slow-one')
    const answer = await scrape({ url: at('/slow-one'), timeout: 1_000 })
    assert.deepEqual([answer.status, answer.code], [408, 'SCRAPE_TIMEOUT'])
    hold.release()
  })

  test('on the last page, `next` is null in version 2 and absent in version 1', async () => {
    const { body } = await api.service.ask<{ id: string }>('/v2/batch/scrape', {
      body: { urls: [at('/lamp')] },
    })
    await api.service.ended(body.id)
    const [second, first] = [
      await api.service.ask(`/v2/batch/scrape/${body.id}`),
      await api.service.ask(`/v1/crawl/${body.id}`),
    ]
    assert.equal(second.body.next, null)
    assert.ok(!('next' in first.body))
  })

  test('two requests with one idempotency key create one job', async () => {
    const ask = (urls: string[]) =>
      api.service.ask<{ id: string; code?: string }>('/v2/batch/scrape', {
        ...{ body: { urls }, headers: { 'x-idempotency-key': 'one-and-the-same' } },
      })
    const [one, two] = [await ask([at('/lamp')]), await ask([at('/lamp')])]
    assert.equal(one.body.id, two.body.id)
    assert.equal((await ask([at('/other')])).status, 409)
  })

  test('jobs of another workspace are not found', async () => {
    const { body } = await api.service.ask<{ id: string }>('/v2/batch/scrape', {
      body: { urls: [at('/lamp')] },
    })
    const key = await api.service.key({ workspace: 'others' })
    assert.equal((await api.service.ask(`/v2/crawl/${body.id}`, { key })).status, 404)
  })

  test('the result of a scrape can be read later by its id', async () => {
    const { data } = await scrape({})
    const again = await api.service.ask<Answer>(`/v2/scrape/${String(data.metadata.scrapeId)}`)
    assert.deepEqual(again.body.data, data)
  })

  test('a missing feature gives 404 with the message that Firecrawl uses', async () => {
    const { status, body } = await api.service.ask<Answer>('/v2/deep-research', { body: {} })
    assert.deepEqual([status, body.success, typeof body.error], [404, false, 'string'])
  })
})

describe('webhooks', () => {
  test('a crawl sends webhooks for its start, each page and its end, signed both as Firecrawl does and as kscrape does', async () => {
    api.site.serve('/told', '<h1>Told</h1><a href="/wall/captcha">x</a>')
    const webhook = { url: receiver.url, headers: { 'X-Mine': 'yes' }, metadata: { run: 7 } }
    const body = { url: at('/told'), crawlEntireDomain: true, sitemap: 'skip', limit: 3, webhook }
    const { body: started } = await api.service.ask<{ id: string }>('/v2/crawl', { body })
    await receiver.has(4)
    const told = receiver.received.map(({ body: text }) => JSON.parse(text) as Record<string, unknown>)
    assert.deepEqual(told.map(({ type, success }) => `${type} ${success}`).sort(), [
      'crawl.completed true',
      'crawl.page false',
      'crawl.page true',
      'crawl.started true',
    ])
    assert.ok(told.every(({ id, metadata }) => id === started.id && JSON.stringify(metadata) === '{"run":7}'))
    assert.equal(new Set(told.map(({ webhookId }) => webhookId)).size, 4)
    for (const { headers, body: text } of receiver.received) {
      const hex = createHmac('sha256', secret).update(text).digest('hex')
      assert.equal(headers['x-firecrawl-signature'], `sha256=${hex}`)
      assert.deepEqual([headers['x-webhook-signature'], headers['x-mine']], [hex, 'yes'])
    }
    const page = told.find(({ type, success }) => type === 'crawl.page' && success)!
    assert.match(String((page.data as Document[])[0]?.markdown), /# Told/)
  })

  test('a crawl sends webhooks only for the requested events, and a webhook to a private address is refused', async () => {
    receiver.received.length = 0
    const webhook = { url: receiver.url, events: ['completed'] }
    await api.service.ask('/v2/batch/scrape', { body: { urls: [at('/lamp')], webhook } })
    await receiver.has(1)
    assert.deepEqual(
      receiver.received.map(({ body }) => JSON.parse(body).type),
      ['batch_scrape.completed'],
    )
    const refused = { urls: [at('/lamp')], webhook: 'http://127.0.0.1:9/' }
    const { status, body } = await api.service.ask<Answer>('/v2/batch/scrape', { body: refused })
    assert.equal(status, 400, JSON.stringify(body))
  })
})
