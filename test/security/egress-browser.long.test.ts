// Tests the egress gate with a real Chromium: whatever a page tries, no internal address is ever connected to.
import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { type DemoSite, startDemoSite } from '../../src/demo-site/index.ts'
import { page, type Reply, redirect } from '../../src/demo-site/route.ts'
import type { LoadedPage } from '../../src/fetch/browser/driver.ts'
import { failureHeader } from '../../src/fetch/browser/egress/egress-proxy.ts'
import { identityMaker } from '../../src/fetch/browser/identity/identity.ts'
import { openBrowserFetch, type RenderRequest } from '../../src/fetch/browser/index.ts'
import { EgressGate } from '../../src/fetch/http/gate.ts'
import { browserPolicy, rendering } from '../../src/model/policy/rendering.ts'
import { failing } from '../fetching.ts'
import { eventually, patienceMs } from '../support/eventually.ts'
import { type GuardedBrowser, openGuardedBrowser } from '../support/guarded-browser.ts'
import { ssrfVectors, type Vector } from '../vectors/ssrf.ts'
import { attempts, hostilePage } from './hostile-page.ts'

/** Counts connections, even if no request follows. */
class Inside implements AsyncDisposable {
  readonly #server = createServer((_, response) => response.end('the secret'))
  readonly #datagrams = createSocket('udp4')
  visits: string[] = []

  async open(address: string): Promise<this> {
    this.#server.on('connection', ({ remotePort }) => this.visits.push(`tcp from ${remotePort}`))
    this.#datagrams.on('message', (_, { port }) => this.visits.push(`udp from ${port}`))
    this.#server.listen(0, address)
    await once(this.#server, 'listening')
    this.#datagrams.bind(this.port, address)
    await once(this.#datagrams, 'listening')
    return this
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    this.#datagrams.close()
  }
}

/** Vectors that expect an error test redirect loops. The driver detects these, not the gate. */
const redirectVectors = ssrfVectors('redirect').filter(({ expect }) => !expect.startsWith('error'))

function openSite(port: number): Promise<DemoSite> {
  const script = { headers: { 'content-type': 'text/javascript' }, body: workerScript(port) }
  const html = { 'content-type': 'text/html', 'alt-svc': `h3=":${port}"` }
  return startDemoSite({
    routes: [
      { path: '/hostile', answer: () => page(hostilePage(`127.0.0.1:${port}`)) },
      { path: '/worker.js', answer: () => script },
      { path: '/quic', answer: () => ({ headers: html, body: '<h1>quic</h1>' }) },
      {
        path: '/hops/:id/:n',
        answer: (_, id, n) => hopOf(redirectVectors.find(each => each.id === id)!, Number(n), port),
      },
    ],
  })
}

/** Each vector has its own URLs, because Chromium caches permanent redirects. */
function hopOf({ id, setup }: Vector, n: number, port: number): Reply {
  const { status, location, body } = setup.hops![n] ?? { status: 200, body: '<h1>arrived</h1>' }
  if (location === undefined) return page((body ?? '').replaceAll('PORT', String(port)))
  const isOutside = /\/(?!rebind)\w+\.test\.example/.test(location)
  const inside = location.replace('PORT', String(port)).replace(/(rebind\w+\.test\.example)/, `$1:${port}`)
  return redirect(isOutside ? `/hops/${id}/${n + 1}` : inside, status)
}

const workerScript = (port: number) =>
  `addEventListener('install', event => event.waitUntil(fetch('http://127.0.0.1:${port}/service-worker', { mode: 'no-cors' }).catch(() => {})))`

for (const driver of ['cdp', 'patchright'] as const) {
  describe(`through ${driver}`, () => {
    let browser: GuardedBrowser
    let site: DemoSite
    let inside: Inside

    before(async () => {
      inside = await new Inside().open('127.0.0.1')
      site = await openSite(inside.port)
      const gate = new EgressGate({
        allowPrivate: [new URL(site.url).host],
        resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      })
      browser = await openGuardedBrowser({ gate, driver })
    })

    after(async () => {
      await browser[Symbol.asyncDispose]()
      await site.close()
      await inside[Symbol.asyncDispose]()
    })

    test('the browser shows a page that the gate allows', async () => {
      const shown = await browser.load(`${site.url}/spa/`)
      assert.equal(shown.status, 200)
      assert.match(shown.html, /<h1>/)
    })

    test('no feature of a page can reach an internal address', async () => {
      browser.proxy.beginTask(null)
      await browser.load(`${site.url}/hostile`, { waitFor: '#done' })
      const isOpen = ({ seenAs }: (typeof attempts)[number]) =>
        !browser.proxy.failures.some(({ target }) => seenAs.test(target!.url))
      const open = () => attempts.filter(isOpen).map(({ name }) => name)
      // The test waits longer than the page needs, because a busy machine may take more time for all attempts.
      await eventually('all attempts to be refused', () => open().length === 0).catch(() => {})
      assert.deepEqual(open(), [])
      assert.deepEqual(inside.visits, [])
      assert.ok(browser.proxy.failures.every(({ failure }) => failure.code === 'address.refused'))
    })

    test('a service worker has the same limits as the page that started it', async () => {
      const register = `navigator.serviceWorker ? navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready, () => null).then(() => true) : true`
      await browser.load(`${site.url}/spa/`, {
        js: `Promise.race([${register}, new Promise(done => setTimeout(done, 1500))])`,
      })
      assert.deepEqual(inside.visits, [])
    })

    test('ssrf-349: WebRTC gives no local candidates and sends nothing', async () => {
      const { value } = await browser.load(`${site.url}/spa/`, { js: webRtc(inside.port) })
      assert.deepEqual(JSON.parse(value!), [])
      assert.deepEqual(inside.visits, [])
    })

    test('HTTP/3 is not used, even if a website offers it', async () => {
      await browser.load(`${site.url}/quic`)
      await browser.load(`${site.url}/quic`)
      assert.deepEqual(inside.visits, [])
    })

    for (const { id, expect, reason, surface } of redirectVectors) {
      test(`${id}: the navigation must give "${expect}" (${reason})`, async () => {
        browser.proxy.beginTask(null)
        const outcome = await browser.load(`${site.url}/hops/${id}/0`).catch((error: Error) => error)
        // The page navigates by itself at an unknown time, so the test waits for the refusal.
        while (surface === 'browser_navigation' && browser.proxy.failures.length === 0)
          await new Promise(setImmediate)
        assert.deepEqual(inside.visits, [])
        if (expect === 'allow') assert.match((outcome as LoadedPage).html, /arrived/)
        else assert.doesNotMatch(JSON.stringify(outcome), /the secret|root:|arrived/)
      })
    }

    test('if a main document is refused, a response header says so; with TLS, only the egress proxy reports the refusal', async () => {
      browser.proxy.beginTask(null)
      const plain = await browser.load(`http://127.0.0.1:${inside.port}/`)
      assert.ok(plain.headers.some(([name, value]) => name === failureHeader && value === 'address.refused'))
      await assert.rejects(browser.load('https://inside.example.com/'))
      assert.equal(browser.proxy.failureOf('https://inside.example.com/')?.code, 'address.refused')
      assert.doesNotMatch(plain.html, /127\.0/)
    })
  })
}

test('if the document of a task is refused, the task fails with that reason, even behind redirects or TLS', async () => {
  await using site = await startDemoSite({
    routes: [
      { path: '/to-http', answer: () => redirect('http://10.0.0.1/') },
      { path: '/to-https', answer: () => redirect('https://10.0.0.1/') },
    ],
  })
  await using browser = openBrowserFetch({
    gate: new EgressGate({ allowPrivate: [new URL(site.url).host] }),
    places: {},
    poolSize: 1,
    identityFor: identityMaker({ userAgent: 'kscrape' }),
    drivers: {},
    emit: () => {},
  })
  const visit = (url: string) => browser.open(visitOf(url), AbortSignal.timeout(patienceMs))
  const refused = [
    'file:///etc/passwd',
    'chrome://version',
    'view-source:http://example.com/',
    'data:text/html,hi',
  ]
  for (const url of refused) await failing(visit(url), 'address.refused')
  assert.equal(browser.stats().pages_processed, 0)
  for (const url of [`${site.url}/to-http`, `${site.url}/to-https`])
    await failing(visit(url), 'address.refused')
})

const visitOf = (url: string): RenderRequest => ({
  jobId: 'job',
  url,
  headers: {},
  browser: 'plain',
  userAgent: 'kscrape',
  session: 'job',
  rendering: rendering.parse({}),
  policy: browserPolicy.parse({}),
  maxBytes: 1_000_000,
  state: null,
  why: 'asked for',
  before: async () => {},
})

const webRtc = (port: number) => `(async () => {
  const servers = ['stun:127.0.0.1:${port}', 'turn:127.0.0.1:${port}?transport=udp', 'turn:127.0.0.1:${port}?transport=tcp']
  const connection = new RTCPeerConnection({ iceServers: servers.map(urls => ({ urls, username: 'a', credential: 'b' })) })
  const candidates = []
  connection.onicecandidate = ({ candidate }) => candidate && candidate.candidate && candidates.push(candidate.candidate)
  connection.createDataChannel('leak')
  await connection.setLocalDescription(await connection.createOffer())
  const gathered = new Promise(done => { connection.onicegatheringstatechange = () => connection.iceGatheringState === 'complete' && done() })
  await Promise.race([gathered, new Promise(done => setTimeout(done, 3000))])
  return candidates
})()`
