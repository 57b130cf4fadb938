// A client whose key has only the scope `submit` controls a browser through /cdp and /playwright, and tries to send credentials
// or headers of another browser. A real browser runs every command, and the site logs what arrives.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { WebSocket } from 'ws'
import { servedVersion } from '../../src/server/api/browsers/playwright-clients.ts'
import { BrowserService, playwright } from '../support/browser-clients.ts'

const secret = 'Bearer of-the-client-4711'
const withoutConsent = /scope "credentials"/

let browsers: BrowserService
let honest: string
before(async () => {
  browsers = await BrowserService.open({
    '/': '<title>Home</title>',
    '/own': `<title>Own</title><script>fetch('/data', { headers: { authorization: 'Bearer of-the-page' } }).then(() => { document.title = 'Sent' })</script>`,
    '/data': '{}',
    '/basic': response => response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end('no'),
  })
  honest = await browsers.service.key({ workspace: 'team', scopes: ['read', 'submit'] })
})
after(() => browsers?.[Symbol.asyncDispose]())

interface Reply {
  result?: Record<string, unknown>
  error?: { message: string }
}

class Cdp {
  readonly #socket: WebSocket
  #id = 0

  constructor(socket: WebSocket) {
    this.#socket = socket
  }

  static async open(token: string): Promise<Cdp> {
    const socket = new WebSocket(browsers.endpoint('/cdp', { token }))
    await once(socket, 'open')
    return new Cdp(socket)
  }

  ask(method: string, params: object = {}, sessionId?: string): Promise<Reply> {
    const id = ++this.#id
    return new Promise(resolve => {
      const heard = (data: Buffer) => {
        const reply = JSON.parse(String(data)) as Reply & { id?: number }
        if (reply.id !== id) return
        this.#socket.off('message', heard)
        resolve(reply)
      }
      this.#socket.on('message', heard)
      this.#socket.send(JSON.stringify({ id, method, params, sessionId }))
    })
  }

  async page(): Promise<string> {
    const { result } = await this.ask('Target.createTarget', { url: 'about:blank' })
    const attached = await this.ask('Target.attachToTarget', { targetId: result!.targetId, flatten: true })
    return String(attached.result!.sessionId)
  }

  close(): void {
    this.#socket.terminate()
  }
}

test('commands of the DevTools protocol that set credentials need the scope credentials', async () => {
  const client = await Cdp.open(honest)
  const page = await client.page()
  const cookie = { name: 'login', value: 'of-the-client-4711', url: `${browsers.site.url}/` }
  const attempts: Array<[string, object]> = [
    ['Network.setExtraHTTPHeaders', { headers: { Authorization: secret } }],
    ['Network.setExtraHTTPHeaders', { headers: { 'x-api-key': secret } }],
    ['Network.setCookie', cookie],
    ['Network.setCookies', { cookies: [cookie] }],
    ['Storage.setCookies', { cookies: [cookie] }],
    [
      'Fetch.continueWithAuth',
      {
        requestId: 'x',
        authChallengeResponse: { response: 'ProvideCredentials', username: 'a', password: secret },
      },
    ],
  ]
  for (const [method, params] of attempts) {
    const { error } = await client.ask(method, params, page)
    assert.match(error?.message ?? '', withoutConsent, method)
  }
  await client.ask('Page.navigate', { url: `${browsers.site.url}/` }, page)
  assert.deepEqual(browsers.site.holding(['of-the-client-4711']), [])
  client.close()
})

test('client hints of another browser need the scope browser_headers, even with an honest user agent', async () => {
  const client = await Cdp.open(honest)
  const page = await client.page()
  const brands = [{ brand: 'Google Chrome', version: '140' }]
  const metadata = { brands, platform: '', platformVersion: '', architecture: '', model: '', mobile: false }
  const attempts: Array<[string, object]> = [
    ['Emulation.setUserAgentOverride', { userAgent: 'my-bot/1.0', userAgentMetadata: metadata }],
    ['Network.setUserAgentOverride', { userAgent: 'my-bot/1.0', userAgentMetadata: metadata }],
    ['Network.setExtraHTTPHeaders', { headers: { 'Sec-CH-UA': '"Google Chrome";v="140"' } }],
  ]
  for (const [method, params] of attempts) {
    const { error } = await client.ask(method, params, page)
    assert.match(error?.message ?? '', /scope "browser_headers"/, method)
  }
  await client.ask('Page.navigate', { url: `${browsers.site.url}/` }, page)
  assert.deepEqual(browsers.site.holding(['Google Chrome']), [])
  client.close()
})

const connected = (token: string) =>
  playwright().connect(browsers.endpoint('/playwright', { token }), {
    headers: { 'user-agent': `Playwright/${servedVersion}.0` },
  })

test('a Playwright client without the scope credentials cannot set credential headers, logins or cookies', async () => {
  const browser = await connected(honest)
  const attempts: Array<() => Promise<unknown>> = [
    () => browser.newContext({ extraHTTPHeaders: { Authorization: secret } }),
    () => browser.newContext({ httpCredentials: { username: 'ada', password: secret } }),
    () => browser.newContext({ storageState: { cookies: [], origins: [] } }),
    async () => (await browser.newContext()).setExtraHTTPHeaders({ Cookie: `login=${secret}` }),
    async () => (await browser.newContext()).setHTTPCredentials({ username: 'ada', password: secret }),
    async () =>
      (await browser.newContext()).addCookies([{ name: 'a', value: secret, url: browsers.site.url }]),
  ]
  for (const attempt of attempts) await assert.rejects(attempt(), withoutConsent, String(attempt))
  assert.deepEqual(browsers.site.holding(['of-the-client-4711']), [])
  await browser.close()
})

test('a client may continue requests that have credentials of the page, but cannot change these credentials or add its own', async () => {
  const browser = await connected(honest)
  const page = await browser.newPage()
  await page.route('**/data', route =>
    route.continue({ headers: { ...route.request().headers(), 'x-more': 'added' } }),
  )
  await page.goto(`${browsers.site.url}/own`)
  await page.waitForFunction(`document.title === 'Sent'`)
  const [passed] = browsers.site.heard.filter(({ path }) => path === '/data')
  assert.deepEqual(
    [passed?.headers.authorization, passed?.headers['x-more']],
    ['Bearer of-the-page', 'added'],
  )
  const changes = [
    { authorization: secret },
    { 'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0' },
    { 'sec-ch-ua': '"Google Chrome";v="140"' },
  ]
  const changed = changes.map(async (change, index) => {
    const another = await browser.newPage()
    await another.route('**/*', route =>
      route.continue({ headers: { ...route.request().headers(), ...change } }),
    )
    // The refused request stays paused. When its page ends, the browser may send it without the client's change.
    await another.goto(`${browsers.site.url}/?${index}`, { timeout: 3_000 }).catch(() => null)
  })
  await Promise.all(changed)
  assert.deepEqual(browsers.site.holding(['of-the-client-4711', 'Windows NT 10.0', 'Google Chrome']), [])
  await browser.close()
})

test('with the scope credentials, a client may log in', async () => {
  const token = await browsers.service.key({ workspace: 'team', scopes: ['submit', 'credentials'] })
  const browser = await connected(token)
  const context = await browser.newContext({ extraHTTPHeaders: { Authorization: 'Bearer allowed-4711' } })
  await (await context.newPage()).goto(`${browsers.site.url}/`)
  assert.equal(browsers.site.holding(['Bearer allowed-4711']).length, 1)
  await browser.close()
})
