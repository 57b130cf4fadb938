// A client of /cdp attacks its own browser: files, other targets, and bypasses of the gate. Every attempt is a real command to a real
// browser.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { WebSocket } from 'ws'
import { servedVersion } from '../../src/server/api/browsers/playwright-clients.ts'
import { BrowserService } from '../support/browser-clients.ts'
import { eventually } from '../support/eventually.ts'
import { ListeningSite } from '../support/listening-site.ts'

let browsers: BrowserService
/** A server on this machine that the gate does not allow. */
let inside: ListeningSite
let raw: RawClient
before(async () => {
  inside = await ListeningSite.open({ '/': '<title>inside</title>' })
  browsers = await BrowserService.open({
    '/': '<title>Home</title><input type="file" id="file">',
    '/secret': '<title>Secret</title>',
    '/robots.txt': response => response.end('User-agent: *\nDisallow: /secret'),
    '/worker.js': response => {
      response.writeHead(200, { 'content-type': 'text/javascript' })
      response.end('self.addEventListener("fetch", event => event.respondWith(fetch("/secret")))')
    },
  })
  raw = await RawClient.open(browsers.endpoint())
})
after(async () => {
  raw?.close()
  await browsers?.[Symbol.asyncDispose]()
  await inside?.[Symbol.asyncDispose]()
})

interface Reply {
  result?: Record<string, unknown>
  error?: { message: string }
}

class RawClient {
  readonly #socket: WebSocket
  #id = 0
  readonly #waiting = new Map<number, (reply: Reply) => void>()

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', data => {
      const message = JSON.parse(String(data)) as Reply & { id?: number }
      if (message.id !== undefined) this.#waiting.get(message.id)?.(message)
    })
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<RawClient> {
    const socket = new WebSocket(url, { headers })
    await once(socket, 'open')
    return new RawClient(socket)
  }

  ask(method: string, params: object = {}, sessionId?: string): Promise<Reply> {
    const id = ++this.#id
    return new Promise(resolve => {
      this.#waiting.set(id, resolve)
      this.#socket.send(JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) }))
    })
  }

  /** Sends the text unchanged, and returns the response. */
  async answerTo(text: string): Promise<Reply> {
    const answer = once(this.#socket, 'message') as Promise<[Buffer]>
    this.#socket.send(text)
    return JSON.parse(String((await answer)[0])) as Reply
  }

  /** Stops reading, so that this client never answers a close of the connection. */
  ignoreClose(): void {
    this.#socket.pause()
  }

  /** Sends a command and returns its result, or throws its error. */
  async get(method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> {
    const { result, error } = await this.ask(method, params, sessionId)
    if (error) throw new Error(`${method}: ${error.message}`)
    return result!
  }

  /** Opens a separate page, and returns its CDP session. */
  async page(url = `${browsers.site.url}/`): Promise<{ targetId: string; session: string }> {
    const { targetId } = await this.get('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await this.get('Target.attachToTarget', { targetId, flatten: true })
    const session = String(sessionId)
    await this.get('Page.navigate', { url }, session)
    await eventually(
      'the page is there',
      async () => (await this.evaluate(session, 'document.title')) === 'Home',
    )
    return { targetId: String(targetId), session }
  }

  async evaluate(session: string, expression: string): Promise<unknown> {
    const params = { expression, returnByValue: true, awaitPromise: true }
    const { result } = (await this.get('Runtime.evaluate', params, session)) as { result: { value: unknown } }
    return result.value
  }

  close(): void {
    this.#socket.terminate()
  }
}

test('no command of a client can read a file of the worker', async () => {
  const { session, targetId } = await raw.page()
  const { root } = (await raw.get('DOM.getDocument', {}, session)) as { root: { nodeId: number } }
  const { nodeId } = await raw.get('DOM.querySelector', { nodeId: root.nodeId, selector: '#file' }, session)
  const attempts: Array<[string, object]> = [
    ['Page.navigate', { url: 'file:///etc/passwd' }],
    ['Page.navigate', { url: 'view-source:file:///etc/passwd' }],
    ['Page.navigate', { url: 'chrome://version' }],
    ['DOM.setFileInputFiles', { nodeId, files: ['/etc/passwd'] }],
    [
      'Input.dispatchDragEvent',
      { type: 'drop', x: 10, y: 10, data: { items: [], files: ['/etc/passwd'], dragOperationsMask: 1 } },
    ],
    ['Page.setDownloadBehavior', { behavior: 'allow', downloadPath: '/tmp' }],
    [
      'Network.loadNetworkResource',
      { url: 'file:///etc/passwd', options: { disableCache: true, includeCredentials: false } },
    ],
    ['Target.createTarget', { url: 'file:///etc/passwd' }],
    ['Extensions.loadUnpacked', { path: '/tmp' }],
    ['FileSystem.getDirectory', {}],
    ['SystemInfo.getInfo', {}],
    ['Browser.getBrowserCommandLine', {}],
  ]
  for (const [method, params] of attempts) {
    const { error } = await raw.ask(method, params, session)
    assert.ok(error, `${method} ${JSON.stringify(params)} was accepted`)
  }
  // A script inside the page tries all that a script can do.
  for (const expression of [
    `fetch('file:///etc/passwd').then(r => r.text(), () => 'refused')`,
    `new Promise(done => { const f = document.createElement('iframe'); f.src = 'file:///etc/passwd'; f.onload = () => { try { done(f.contentDocument?.body?.innerText || 'refused') } catch { done('refused') } }; document.body.append(f); setTimeout(done, 2000, 'refused') })`,
    `(() => { const w = open('file:///etc/passwd'); try { return w?.document?.body?.innerText || 'refused' } catch { return 'refused' } })()`,
  ])
    assert.equal(await raw.evaluate(session, expression), 'refused')
  await raw.get('Target.closeTarget', { targetId })
})

test('downloads of a client write no file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-attack-'))
  await raw.get('Browser.setDownloadBehavior', {
    behavior: 'allow',
    downloadPath: folder,
    eventsEnabled: true,
  })
  const { session, targetId } = await raw.page()
  await raw.evaluate(
    session,
    `(() => { const a = document.createElement('a'); a.href = 'data:text/plain,x'; a.download = 'x.txt'; a.click() })()`,
  )
  // If the file had been written, it would exist after a second page load.
  await raw.get('Page.navigate', { url: `${browsers.site.url}/` }, session)
  assert.deepEqual(await readdir(folder), [])
  await rm(folder, { recursive: true })
  await raw.get('Target.closeTarget', { targetId })
})

test('no feature of a page reaches an address that the egress gate refuses', async () => {
  const { session, targetId } = await raw.page()
  const ways = [
    `fetch('${inside.url}/').then(r => 'answered ' + r.status, () => 'refused')`,
    `new Promise(done => { const s = new WebSocket('${inside.url.replace('http', 'ws')}/'); s.onopen = () => done('open'); s.onerror = () => done('refused') })`,
    `new Promise(done => { const i = new Image(); i.onload = () => done('open'); i.onerror = () => done('refused'); i.src = '${inside.url}/x.png' })`,
    `navigator.sendBeacon('${inside.url}/beacon', 'x') && 'refused'`,
    `new Promise(done => { const e = new EventSource('${inside.url}/'); e.onopen = () => done('open'); e.onerror = () => done('refused') })`,
  ]
  for (const way of ways) assert.notEqual(await raw.evaluate(session, way), 'open')
  const contexts: Array<[string, object]> = [
    ['Target.createBrowserContext', { proxyServer: 'direct://' }],
    ['Target.createBrowserContext', { proxyServer: inside.place, proxyBypassList: '*' }],
    ['Target.createBrowserContext', { originsWithUniversalNetworkAccess: ['http://x'] }],
    ['Target.sendMessageToTarget', { message: '{"id":1,"method":"Browser.getVersion"}', targetId }],
    ['Target.exposeDevToolsProtocol', { targetId }],
    ['Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false }],
    ['Network.setExtraHTTPHeaders', { headers: { Host: 'elsewhere' } }],
  ]
  for (const [method, params] of contexts) assert.ok((await raw.ask(method, params)).error, method)
  const { browserContextId } = await raw.get('Target.createBrowserContext', {})
  const { targetId: other } = await raw.get('Target.createTarget', {
    url: `${inside.url}/`,
    browserContextId,
  })
  await eventually('the page has finished its navigation', async () => {
    const { targetInfos } = (await raw.get('Target.getTargets')) as {
      targetInfos: Array<{ targetId: string; title: string }>
    }
    const found = targetInfos.find(one => one.targetId === other)
    assert.notEqual(found?.title, 'inside')
    return Boolean(found?.title)
  })
  assert.deepEqual(inside.heard, [])
  await raw.get('Target.closeTarget', { targetId })
})

test('a message that is too large or not a command is refused, and other clients are not affected', async () => {
  const { session, targetId } = await raw.page()
  const many = `[${'{},'.repeat(2_000_000)}0]`
  const deep = `${'['.repeat(20_000)}0${']'.repeat(20_000)}`
  const texts = ['null', '[]', 'not json', '"x"', many, deep]
  for (const params of ['"x"', '5', '[]', many, deep])
    texts.push(`{"id":1,"method":"Target.getTargets","params":${params}}`)
  for (const path of ['/cdp', '/playwright']) {
    const client = await RawClient.open(browsers.endpoint(path), {
      'user-agent': `Playwright/${servedVersion}.0`,
    })
    for (const text of texts) {
      const answer = await client.answerTo(text)
      assert.ok(answer.error, `${path} ${text.slice(0, 60)}`)
      assert.doesNotMatch(JSON.stringify(answer), /node_modules/)
    }
    client.close()
  }
  // The result of the page has more values than a lane may parse.
  const params = { expression: 'Array(3e6).fill({})', returnByValue: true }
  assert.match((await raw.ask('Runtime.evaluate', params, session)).error!.message, /too large/)
  assert.equal(await raw.evaluate(session, 'document.title'), 'Home')
  await raw.get('Target.closeTarget', { targetId })
})

test('no job and no schedule can name the scraper of browser connections', async () => {
  const input = { connectionId: 'another', protocol: 'cdp', maxMs: 1e9, maxBytes: 1e15, maxPages: 1_000 }
  const job = { scraper_id: 'browser-connection', items: [{ input }] }
  const schedule = { name: 'x', cron: '0 0 * * *', time_zone: 'UTC', job }
  for (const [path, body] of Object.entries({ '/jobs': job, '/schedules': schedule, '/plan': job })) {
    const { status, text } = await browsers.service.ask(path, { body })
    assert.equal(status, 422, `${path} ${text}`)
    assert.match(text, /cannot be used in a job/, path)
  }
})

test('a client may use the user agent of a browser only with the scope for browser headers', async () => {
  const browser = { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0' }
  assert.ok(await raw.get('Emulation.setUserAgentOverride', browser, (await raw.page()).session))
  const key = { name: 'honest', workspace: 'team', scopes: ['read', 'submit'] }
  const { body } = await browsers.service.ask<{ key: string }>('/keys', { body: key })
  const client = await RawClient.open(browsers.endpoint('/cdp', { token: body.key }))
  const { session } = await client.page()
  for (const method of ['Emulation.setUserAgentOverride', 'Network.setUserAgentOverride']) {
    const { error } = await client.ask(method, browser, session)
    assert.match(error?.message ?? '', /scope "browser_headers"/)
    assert.ok(await client.get(method, { userAgent: 'my-bot/1.0' }, session))
  }
  client.close()
})

test('when the key of a client is revoked, its browser ends, even if the client does not close the connection', async () => {
  const team = (name: string) => ({ name, workspace: 'team', scopes: ['read', 'submit'] })
  const made = (name: string) =>
    browsers.service.ask<{ key: string; key_id: string }>('/keys', { body: team(name) })
  const [{ body }, { body: other }] = [await made('short'), await made('other')]
  const inUse = async () => {
    const { body: listed } = await browsers.service.ask<{ browsers: object[] }>('/browsers', {
      key: other.key,
    })
    return listed.browsers.length
  }
  const client = await RawClient.open(browsers.endpoint('/cdp', { token: body.key }))
  assert.ok(await client.get('Browser.getVersion'))
  await eventually('the seat of the client is listed', async () => (await inUse()) === 1)
  client.ignoreClose()
  await browsers.service.ask(`/keys/${body.key_id}`, { method: 'DELETE' })
  await eventually('the seat of the client is free', async () => (await inUse()) === 0)
  client.close()
})

test('robots.txt applies to documents that a client opens by links, pop-ups, rewritten requests or redirects', async () => {
  const { session, targetId } = await raw.page()
  const secret = `${browsers.site.url}/secret`
  await raw.evaluate(session, `open('${secret}') && 0`)
  await raw.get('Target.createTarget', { url: secret })
  await raw.get('Page.navigate', { url: secret }, session)
  // A page must not be able to register a service worker, because the worker could answer requests instead of the network.
  await raw.get('Page.navigate', { url: `${browsers.site.url}/` }, session)
  await eventually(
    'the page shows the start page',
    async () => (await raw.evaluate(session, 'document.title')) === 'Home',
  )
  assert.equal(
    await raw.evaluate(
      session,
      `navigator.serviceWorker?.register('/worker.js').then(() => 'registered', () => 'refused') ?? 'refused'`,
    ),
    'refused',
  )
  // To detach the session of our guard, a client would have to name it, and clients do not know its id.
  assert.ok((await raw.ask('Target.detachFromTarget', { sessionId: 'unknown' })).error)
  assert.ok((await raw.ask('Fetch.disable', {}, 'unknown')).error)
  await raw.get('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, session)
  await raw.get('Fetch.disable', {}, session)
  await raw.get('Page.navigate', { url: secret }, session)
  assert.ok(!browsers.site.paths.includes('/secret'))
  await raw.get('Target.closeTarget', { targetId })
})

test('a client gets no document from a host on the do-not-crawl list, even within an open connection', async () => {
  const { session, targetId } = await raw.page()
  const pattern = new URL(browsers.site.url).host
  const { body } = await browsers.service.ask<{ listing_id: string }>('/do-not-crawl', { body: { pattern } })
  const before = browsers.site.paths.length
  await raw.get('Page.navigate', { url: `${browsers.site.url}/?denied` }, session)
  await eventually(
    'the refusal is shown',
    async () => (await raw.evaluate(session, 'document.title')) !== 'Home',
  )
  assert.deepEqual(browsers.site.paths.slice(before), [])
  await browsers.service.ask(`/do-not-crawl/${body.listing_id}`, { method: 'DELETE' })
  await raw.get('Target.closeTarget', { targetId })
})

test('two workspaces may use the same connection id at the same time, and neither sees the other', async () => {
  const sessionId = '7d1f6f8e-0b7d-4c52-9a59-3f1c4c0b4711'
  const connect = async (workspace: string) => {
    const token = await browsers.service.key({ workspace, scopes: ['read', 'submit'] })
    return { token, client: await RawClient.open(browsers.endpoint('/cdp', { token, sessionId })) }
  }
  const one = await connect('one')
  const other = await connect('other')
  assert.match(String((await one.client.get('Browser.getVersion')).product), /Chrome/)
  assert.match(String((await other.client.get('Browser.getVersion')).product), /Chrome/)
  one.client.close()
  assert.match(String((await other.client.get('Browser.getVersion')).product), /Chrome/)
  other.client.close()
})
