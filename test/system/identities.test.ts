// Tests that a site sees the same identity with and without a browser, and another identity for another session.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { JobSpecInput } from '../../src/model/job.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { startTlsServer } from '../site/tls-server.ts'
import { startHelloListener } from '../support/client-hello.ts'
import { TestEngine } from '../support/engine.ts'
import { ForwardProxy } from '../support/proxies/forward-proxy.ts'
import { temporaryFile } from '../support/temporary-file.ts'

let site: TestSite
let german: ForwardProxy
let american: ForwardProxy
before(async () => {
  site = await startTestSite()
  german = await ForwardProxy.start({ credentials: 'ann:one-1' })
  american = await ForwardProxy.start({ credentials: 'bob:two-2' })
})
after(async () => {
  await german[Symbol.asyncDispose]()
  await american[Symbol.asyncDispose]()
  await site.close()
})

const open = (settings: object = {}): Promise<TestEngine> =>
  TestEngine.open({ settings: { allowPrivate: [`${site.host}:${site.port}`], ...settings } })

const policy = { robots: 'ignore' as const, host: { rate: 'unlimited' as const } }
const asBrowser = { ...policy, identity: { headers: 'browser' as const } }

type Seen = Record<string, unknown>

const telling = [
  ...['user-agent', 'accept', 'accept-language', 'accept-encoding', 'sec-ch-ua', 'sec-ch-ua-mobile'],
  ...['sec-ch-ua-platform', 'sec-fetch-mode', 'sec-fetch-dest', 'upgrade-insecure-requests'],
]

/** The headers that identify the client. */
const saidIn = (headers: Seen): Seen => Object.fromEntries(telling.map(name => [name, headers[name]]))

const readProbe = `(() => { const seen = JSON.parse(document.querySelector('#probe').textContent)
  return { userAgent: seen.navigator.userAgent, languages: seen.navigator.languages, timeZone: seen.timeZone, doubts: seen.doubts } })()`

const rendered: JobSpecInput = { render: 'always', rendering: { waitFor: '#probe', js: readProbe } }

interface Probed {
  headers: Seen
  /** What scripts of the page saw. Null without a browser. */
  js: { userAgent: string; languages: string[]; timeZone: string; doubts: string[] } | null
}

async function probe(settings: object, spec: JobSpecInput): Promise<Probed> {
  await using engine = await open(settings)
  site.requests.length = 0
  const { job, counts } = await engine.run({ urls: [`${site.url}/probe`], policy, ...spec })
  assert.equal(counts.byState.succeeded, 1, JSON.stringify((await engine.tasks(job.id))[0]))
  const { headers } = site.requests.find(({ url }) => url === '/probe')!
  const settled = engine.heard.find(({ name }) => name === 'task.settled')!.event as unknown as {
    records: Array<{ data: string }>
  }
  const js = (JSON.parse(settled.records[0]!.data) as { js?: Probed['js'] }).js ?? null
  return { headers: headers as Seen, js }
}

// This test runs first, because the library reads its certificate authorities once per process.
test('requests with a browser’s handshake also trust the certificate authority of the operator', async () => {
  await using server = await startTlsServer({ kind: 'good-with-own-ca' })
  const settings = { allowPrivate: [`localhost:${server.port}`], caFile: server.caFile }
  await using engine = await TestEngine.open({ settings })
  const { counts, job } = await engine.run({
    urls: [`${server.url}/`],
    policy: { ...policy, identity: { tls: 'browser' } },
  })
  assert.equal(counts.byState.succeeded, 1, JSON.stringify((await engine.tasks(job.id))[0]))
})

test('a job imitates a browser only if the job asks for that', async () => {
  const { headers } = await probe({}, {})
  assert.match(String(headers['user-agent']), /^kscrape\/[\d.]+/)
  assert.equal(headers['sec-ch-ua'], undefined)
})

test('with browser headers, a session has the same identity over HTTP and in the browser, and another session has another identity', async () => {
  await using file = await temporaryFile(
    'proxies.yaml',
    `proxies:\n  - { url: "${german.url}", country: de }\n  - { url: "${american.url}", country: us }\n`,
  )
  const settings = { proxiesFile: file.path }
  const from = (country: string) => ({ policy: { ...asBrowser, proxy: { country, restMs: 0 } } })
  const plain = await probe(settings, from('de'))
  const browser = await probe(settings, { ...rendered, ...from('de') })
  assert.deepEqual(saidIn(plain.headers), saidIn(browser.headers))
  assert.equal(plain.headers['accept-language'], 'de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7')
  assert.equal(browser.js!.userAgent, plain.headers['user-agent'])
  assert.deepEqual([browser.js!.languages[0], browser.js!.timeZone], ['de-DE', 'Europe/Berlin'])
  const other = await probe(settings, { ...rendered, ...from('us') })
  assert.match(String(other.headers['accept-language']), /^en-US/)
  assert.match(other.js!.timeZone, /^America\//)
  assert.deepEqual([german.visits.length > 0, american.visits.length > 0], [true, true])
})

test('if a task moves to the browser, it keeps its cookies, its proxy and its user agent', async () => {
  const html = { 'content-type': 'text/html; charset=utf-8' }
  site.serve('/app', {
    headers: { ...html, 'set-cookie': 'sid=abc123; Path=/' },
    body: '<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>',
  })
  site.serve('/app.js', {
    headers: { 'content-type': 'text/javascript' },
    body: 'document.querySelector("#root").innerHTML = "<h1>Made by a script</h1><p>With enough words to be read as a page of its own.</p>"',
  })
  await using engine = await open({ proxies: [german.url, american.url] })
  for (const proxy of [german, american]) proxy.visits.length = 0
  site.requests.length = 0
  const { counts } = await engine.run({
    urls: [`${site.url}/app`],
    render: 'auto',
    policy: { ...asBrowser, proxy: { restMs: 0 } },
  })
  assert.deepEqual([counts.byState.succeeded, counts.rendered], [1, 1])
  const [first, second] = site.requests.filter(({ url }) => url === '/app')
  assert.equal((first!.headers as Seen).cookie, undefined)
  assert.equal((second!.headers as Seen).cookie, 'sid=abc123')
  assert.equal((second!.headers as Seen)['user-agent'], (first!.headers as Seen)['user-agent'])
  const used = [german, american].map(
    ({ visits }) => visits.filter(({ target }) => target.endsWith('/app')).length,
  )
  assert.deepEqual(used.toSorted(), [0, 2])
})

test('rotating identities have separate cookies', async () => {
  await using engine = await open()
  site.serve('/hello', {
    headers: { 'content-type': 'text/html', 'set-cookie': 'visitor=1' },
    body: '<p>hello</p>',
  })
  site.requests.length = 0
  await engine.run({
    items: Array.from({ length: 6 }, (_, index) => ({
      itemId: `i${index}`,
      input: { url: `${site.url}/hello?n=${index}` },
    })),
    concurrency: 1,
    policy: { ...policy, identity: { count: 3 } },
  })
  const seen = site.requests
    .filter(({ url }) => url.startsWith('/hello'))
    .map(({ headers }) => (headers as Seen).cookie ?? 'none')
  assert.deepEqual(seen, ['none', 'none', 'none', 'visitor=1', 'visitor=1', 'visitor=1'])
})

test('the TLS handshake of a browser identity offers the same options as Chromium', async () => {
  await using listener = await startHelloListener()
  const helloOf = async (spec: JobSpecInput) => {
    listener.heard.length = 0
    await using engine = await TestEngine.open({ settings: { allowPrivate: [listener.place] } })
    const retries = { attempts: 0 }
    await engine.run({ urls: [listener.url], ...spec, policy: { ...policy, ...spec.policy, retries } })
    assert.ok(listener.heard.length > 0, 'the listener got a ClientHello')
    return listener.heard[0]!
  }
  const ours = await helloOf({})
  const likeBrowser = await helloOf({ policy: { identity: { headers: 'browser', tls: 'browser' } } })
  const browser = await helloOf({ render: 'always' })
  assert.deepEqual(likeBrowser.ciphers, browser.ciphers)
  assert.deepEqual(likeBrowser.protocols, browser.protocols)
  assert.deepEqual(likeBrowser.groups, browser.groups)
  assert.notDeepEqual(ours.ciphers, browser.ciphers)
})

test('a session has the same window size in every run, and another session has another size', async () => {
  const windowOf = async (session: string) => {
    const js = '({ width: innerWidth, height: innerHeight, screen: [screen.width, screen.height] })'
    const { js: seen } = await probe(
      {},
      { ...rendered, rendering: { waitFor: '#probe', js }, session, policy: asBrowser },
    )
    return seen as unknown
  }
  const first = await windowOf('ann')
  assert.deepEqual(await windowOf('ann'), first)
  assert.notDeepEqual(await windowOf('bob'), first)
})

test('cookies of plain requests reach an open browser, and cookies of the browser reach plain requests', async () => {
  const html = { 'content-type': 'text/html; charset=utf-8' }
  const app = '<!doctype html><title>App</title><div id="root"></div><script src="/fill.js"></script>'
  const words = '<p>A page with all of its words, which needs no browser.</p>'.repeat(20)
  site.serve('/fill.js', {
    headers: { 'content-type': 'text/javascript' },
    body: `document.cookie = 'script=' + location.pathname.slice(1)
      document.querySelector('#root').innerHTML = '<h1>Made by a script</h1><p>With enough words to be read as a page of its own, and <a href="/plain-2">a link</a>.</p>'`,
  })
  // Each page links to the next page, so that the pages are requested one after the other.
  site.serve('/app-1', { headers: { ...html, 'set-cookie': 'step=1; Path=/' }, body: app })
  site.serve('/plain-2', {
    headers: { ...html, 'set-cookie': 'step=2; Path=/' },
    body: `<!doctype html><title>Plain</title>${words}<a href="/app-3">next</a>`,
  })
  site.serve('/app-3', { headers: html, body: app })
  await using engine = await open()
  site.requests.length = 0
  const { counts } = await engine.run({
    seedUrls: [`${site.url}/app-1`],
    sitemap: 'skip',
    dedupe: false,
    render: 'auto',
    policy,
  })
  assert.deepEqual([counts.byState.succeeded, counts.rendered], [3, 2])
  const cookiesAt = (path: string) =>
    site.requests
      .filter(({ url }) => url === path)
      .map(({ headers }) =>
        String((headers as Seen).cookie ?? '')
          .split('; ')
          .toSorted()
          .join('; '),
      )
  assert.deepEqual(cookiesAt('/app-1'), ['', 'step=1'])
  assert.deepEqual(cookiesAt('/plain-2'), ['script=app-1; step=1'])
  assert.deepEqual(cookiesAt('/app-3'), ['script=app-1; step=2', 'script=app-1; step=2'])
})
