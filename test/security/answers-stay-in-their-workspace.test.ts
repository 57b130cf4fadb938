// Promise: a cached response is reused only in its workspace, and only if no credential, cookie or session influenced it.
import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { defineScraper } from '../../src/scraper/define-scraper.ts'
import { html, ListeningSite } from '../support/listening-site.ts'
import { operatorKey, TestService } from '../support/service.ts'

const hour = 3_600_000
const fast = { policy: { host: { rate: 'unlimited' } } }

const member = defineScraper({
  id: 'member',
  credentials: 'shop',
  async run({ url, open, emit, credentials }) {
    const page = await open(url, { headers: { authorization: credentials.password! } })
    emit({ heading: page.text('h1') })
  },
})

describe('cached responses', () => {
  let site: ListeningSite
  let service: TestService
  let alpha: string
  let beta: string
  let path = ''
  let count = 0

  before(async () => {
    site = await ListeningSite.open()
    const folder = await mkdtemp(join(tmpdir(), 'kscrape-service-'))
    await writeFile(join(folder, 'secrets.env'), 'SHOP_PASSWORD=operator-4712\n', { mode: 0o600 })
    const settings = { allowPrivate: [site.place], rate: 'unlimited' as const }
    service = await TestService.open({ settings, scrapers: [member] }, folder)
    const scopes = ['read', 'submit', 'credentials', 'browser_headers', 'personal_data']
    alpha = await service.key({ workspace: 'alpha', scopes })
    beta = await service.key({ workspace: 'beta', scopes })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })
  /** Each test has its own page, which shows the number of the request. */
  beforeEach(() => {
    count += 1
    path = `/page-${count}`
    site.pages[path] = (response, sent) => {
      response.writeHead(200, { 'content-type': 'text/html', etag: '"one"' })
      const who = [sent.authorization, sent.cookie, sent['x-api-key']].filter(Boolean).join(' ')
      response.end(html(`<p>This page is for ${who || 'anybody'}.</p>`))
    }
  })

  const asked = () => site.paths.filter(each => each === path).length

  async function job(key: string, more: Record<string, unknown> = {}): Promise<string> {
    const spec = { urls: [site.url + path], max_age_ms: hour, ...fast, ...more }
    const id = await service.submit(spec, { key })
    await service.ended(id, { key })
    return (await service.ask(`/jobs/${id}/results`, { key })).text
  }

  const scrape = async (key: string, version: string, more: Record<string, unknown> = {}): Promise<string> =>
    (await service.ask(`/${version}/scrape`, { key, body: { url: site.url + path, ...more } })).text

  test('a workspace reuses its own cached responses, while another workspace sends its own request', async () => {
    await job(alpha)
    await job(alpha)
    assert.equal(asked(), 1)
    await job(beta)
    assert.equal(asked(), 2)
    assert.equal(site.heard.at(-1)?.headers['if-none-match'], undefined)
  })

  const personal: Array<[string, Record<string, unknown>]> = [
    ['an Authorization header', { headers: { Authorization: 'alpha-4711' } }],
    ['a Cookie header', { headers: { Cookie: 'login=alpha-4711' } }],
    ['a header of its own', { headers: { 'X-Api-Key': 'alpha-4711' } }],
    ['a session', { session: 'mine' }],
    ['an identity', { policy: { ...fast.policy, identity: { headers: 'browser' } } }],
  ]
  for (const [what, more] of personal)
    test(`a page that was requested with ${what} is cached for no other caller, not even in the same workspace`, async () => {
      await job(alpha, more)
      for (const key of [alpha, beta]) assert.doesNotMatch(await job(key), /alpha-4711/)
      assert.equal(asked(), 3)
      await job(alpha, more)
      assert.equal(asked(), 4, 'a cached response was used for a personal job')
    })

  for (const version of ['v1', 'v2'])
    test(`Firecrawl ${version}: a response to a request with one workspace’s headers is never shown to another workspace`, async () => {
      const mine = await scrape(alpha, version, { headers: { Cookie: 'login=alpha-4711' } })
      assert.match(mine, /alpha-4711/)
      const theirs = await scrape(beta, version)
      assert.match(theirs, /for anybody/)
      assert.doesNotMatch(theirs, /alpha-4711/)
    })

  test('records that were made with credentials are not shared between workspaces', async () => {
    for (const times of [1, 2]) {
      await job(operatorKey, { scraper_id: 'member' })
      assert.equal(asked(), times)
    }
    assert.equal(site.heard.at(-1)?.headers.authorization, 'operator-4712')
  })

  test('responses to requests with cookies are not shared', async () => {
    const login = `/login-${count}`
    site.pages[login] = response => {
      response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'login=alpha-4711; Path=/' })
      response.end(html('<p>Welcome</p>'))
    }
    const urls = [site.url + login, site.url + path]
    await job(alpha, { urls, concurrency: 1, headers: {} })
    assert.doesNotMatch(await job(alpha), /alpha-4711/)
  })

  test('a request with another language or user agent does not use the cached response', async () => {
    const asks = [{}, { headers: { 'Accept-Language': 'de' } }, { user_agent: 'other (+mail@example.com)' }]
    for (const more of asks) await job(alpha, more)
    assert.equal(asked(), 3)
    for (const more of asks) await job(alpha, more)
    assert.equal(asked(), 3)
  })
})
