// Promise: headers, cookies and passwords of a job are sent to their own site and to no other. Requests for robots.txt get none
// of them.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { JobSpecInput } from '../../src/model/job.ts'
import { defineScraper } from '../../src/scraper/define-scraper.ts'
import { TestEngine } from '../support/engine.ts'
import { html, ListeningSite, redirectTo } from '../support/listening-site.ts'
import { TestService } from '../support/service.ts'

const secrets = ['Bearer-4711', 'cookie-4712', 'key-4713', 'password-4714', 'session-4715', 'etag-4716']
const headers = { Authorization: 'Bearer-4711', Cookie: 'login=cookie-4712', 'X-Api-Key': 'key-4713' }
const fast = { policy: { host: { rate: 'unlimited' as const }, retries: { attempts: 0 } } }

/** A scraper that opens a page of another site in its task. */
const wanderer = defineScraper({
  id: 'wanderer',
  async run({ url, open, emit }) {
    const page = await open(url)
    const next = await open(page.attr('a', 'href') ?? '')
    emit({ title: next.text('h1') })
  },
})

/** `home` is the caller's site. `port` is another port of the same host, and `host` is another host. */
let home: ListeningSite
let port: ListeningSite
let host: ListeningSite
let others: ListeningSite[]

beforeEach(async () => {
  home = await ListeningSite.open()
  port = await ListeningSite.open({ '/x': html('there'), '/sitemap.xml': '<urlset></urlset>' })
  host = await ListeningSite.open({ '/x': html('there'), '/sitemap.xml': '<urlset></urlset>' }, '127.0.0.2')
  others = [port, host]
  const links = others.map(({ url }) => `<a href="${url}/x">there</a>`).join('')
  Object.assign(home.pages, {
    '/': html(links),
    '/to-port': redirectTo(`${port.url}/x`),
    '/to-host': redirectTo(`${host.url}/x`, 307),
    '/to-port-and-back': redirectTo(`${port.url}/back`),
    '/x': html('here'),
  })
  port.pages['/back'] = redirectTo(`${home.url}/x`)
})
afterEach(async () => {
  for (const site of [home, ...others]) await site[Symbol.asyncDispose]()
})

const places = () => [home, ...others].map(({ place }) => place)
const engine = (folder?: string) =>
  TestEngine.open({ settings: { allowPrivate: places() }, scrapers: [wanderer] }, folder)

/** Runs one job, and then another job on the same data. */
async function runBoth(first: JobSpecInput, between: () => void, second: JobSpecInput): Promise<void> {
  const before = await engine()
  await before.run(first)
  await before.close()
  between()
  await using after = await engine(before.folder)
  await after.run(second)
}

/** Asserts that `asked` were requested, and that no site in `strangers` got a secret. */
function noneElsewhere(asked: ListeningSite[] = others, strangers: ListeningSite[] = others): void {
  for (const site of strangers) assert.deepEqual(site.holding(secrets), [], 'another origin got a secret')
  for (const site of asked) assert.ok(site.heard.length > 0, 'this site got no request')
  for (const site of [home, ...others])
    for (const { path, headers: sent } of site.heard.filter(({ path }) => path === '/robots.txt')) {
      const named = Object.keys(sent).filter(
        name => !['host', 'connection', 'user-agent', 'accept', 'accept-encoding'].includes(name),
      )
      assert.deepEqual(named, [], `${path} was requested with headers of the job`)
    }
}

const reachedHome = (...wanted: string[]) => {
  for (const text of wanted) assert.ok(home.holding([text]).length > 0, `the site did not get ${text}`)
}

describe('headers of a job', () => {
  test('secret headers of a list do not follow redirects to other origins', async () => {
    await using here = await engine()
    const urls = ['/', '/to-port', '/to-host', '/to-port-and-back'].map(path => home.url + path)
    await here.run({ urls, headers, ...fast })
    noneElsewhere()
    reachedHome('Bearer-4711', 'cookie-4712', 'key-4713')
  })

  test('secret headers of a crawl do not go to other origins or to sitemaps of other origins', async () => {
    home.pages['/robots.txt'] = response =>
      response.end(`User-agent: *\nSitemap: ${port.url}/sitemap.xml\nSitemap: ${host.url}/sitemap.xml\n`)
    await using here = await engine()
    await here.run({ seedUrls: [`${home.url}/`], allowedDomains: ['*'], headers, ...fast })
    noneElsewhere()
    for (const { paths } of others)
      for (const path of ['/sitemap.xml', '/x']) assert.ok(paths.includes(path), path)
    reachedHome('Bearer-4711')
  })

  test('secret headers do not follow redirects of robots.txt and favicons', async () => {
    home.pages['/robots.txt'] = redirectTo(`${port.url}/robots.txt`)
    home.pages['/favicon.ico'] = redirectTo(`${host.url}/favicon.ico`)
    await using here = await engine()
    await here.run({ urls: [`${home.url}/x`, `${home.url}/favicon.ico`], headers, ...fast })
    noneElsewhere()
  })

  test('secret headers do not go to another site that a scraper opens', async () => {
    await using here = await engine()
    await here.run({ urls: [`${home.url}/`], scraperId: 'wanderer', headers, ...fast })
    noneElsewhere([port])
    assert.ok(port.paths.includes('/x'))
    reachedHome('Bearer-4711')
  })

  test('cache validators of a page do not follow a redirect to another origin', async () => {
    home.pages['/x'] = response => {
      response.writeHead(200, { 'content-type': 'text/html', etag: '"etag-4716"' })
      response.end(html('here'))
    }
    const spec = { urls: [`${home.url}/x`], maxAgeMs: 0, ...fast }
    const moved = redirectTo(`${port.url}/x`)
    await runBoth(spec, () => Object.assign(home.pages, { '/x': moved }), spec)
    noneElsewhere([port])
    reachedHome('etag-4716')
  })
})

describe('cookies and passwords', () => {
  test('cookies from a file and cookies that a site sets go only to their own hosts', async () => {
    const set = 'session=session-4715; Path=/'
    home.pages['/to-host'] = response => {
      response.writeHead(302, { location: `${host.url}/x`, 'set-cookie': set })
      response.end()
    }
    await using here = await engine()
    const cookiesFile = join(here.folder, 'cookies.txt')
    await writeFile(cookiesFile, '127.0.0.1\tFALSE\t/\tFALSE\t0\tlogin\tcookie-4712\n')
    const urls = [`${home.url}/to-host`, `${home.url}/x`, `${host.url}/x`]
    await here.run({ urls, cookiesFile, concurrency: 1, ...fast })
    // Cookies do not depend on the port (RFC 6265, 8.5).
    noneElsewhere([host], [host])
    reachedHome('cookie-4712')
  })

  test('cookies of a stored session go only to their own hosts', async () => {
    const set = 'session=session-4715; Path=/; Max-Age=3600'
    home.pages['/login'] = response => {
      response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': set })
      response.end(html('welcome'))
    }
    const session = 'mine'
    const urls = [`${home.url}/to-host`, `${home.url}/x`]
    await runBoth({ urls: [`${home.url}/login`], session, ...fast }, () => {}, { urls, session, ...fast })
    noneElsewhere([host], [host])
    reachedHome('session-4715')
  })

  test('a user name and a password in a URL are sent to no host', async () => {
    const named = home.url.replace('http://', 'http://me:password-4714@')
    home.pages['/'] = html(`<a href="${port.url.replace('http://', 'http://me:password-4714@')}/x">there</a>`)
    const crawl = { seedUrls: [`${named}/`], allowedDomains: ['*'], ...fast }
    await runBoth(crawl, () => {}, { urls: [`${named}/to-host`], ...fast })
    noneElsewhere()
    const encoded = Buffer.from('me:password-4714').toString('base64')
    for (const site of [home, port, host]) assert.deepEqual(site.holding(['password-4714', encoded]), [])
  })
})

test('in jobs, scrapes and crawls of a service, secret headers are sent only to their origin', async () => {
  await using service = await TestService.open({ settings: { allowPrivate: places(), rate: 'unlimited' } })
  await service.ended(await service.submit({ urls: [`${home.url}/to-port`], headers, ...fast }))
  const scraped = await service.ask('/v2/scrape', { body: { url: `${home.url}/to-host`, headers } })
  assert.equal(scraped.status, 200, scraped.text)
  const crawled = await service.ask<{ id: string }>('/v1/crawl', {
    body: { url: `${home.url}/`, allowExternalLinks: true, limit: 10, scrapeOptions: { headers } },
  })
  assert.equal(crawled.status, 200, crawled.text)
  await service.ended(crawled.body.id)
  noneElsewhere()
  reachedHome('Bearer-4711', 'key-4713')
})
