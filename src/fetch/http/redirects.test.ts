// Tests redirects: their method, their limits, and which headers are dropped.
import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { failing, get, openFetchFor, testTimeouts } from '../../../test/fetching.ts'
import { startRawServer } from '../../../test/site/raw-server.ts'
import { Failure } from '../../model/failures.ts'
import type { RedirectHop } from '../../model/page/page.ts'
import { CookieJar } from './index.ts'

interface Seen {
  path: string
  method: string
  headers: IncomingHttpHeaders
  body: string
}

/** A server that redirects from `/to?status=302&url=…`, and from `/cookie?…` with a cookie. Every other path is a page. */
async function startHopper() {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://x')
    const body = Buffer.concat(await request.toArray()).toString()
    seen.push({ path: url.pathname, method: request.method!, headers: request.headers, body })
    const location = url.searchParams.get('url')
    if (url.pathname === '/cookie') response.setHeader('set-cookie', 'seen=yes; Path=/')
    if (location === null) response.end('arrived')
    else response.writeHead(Number(url.searchParams.get('status') ?? 302), { location }).end('moved')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async () => {
    server.closeAllConnections()
    server.close()
  }
  return { url, seen, [Symbol.asyncDispose]: close }
}

const to = (url: string, status = 302) => `/to?status=${status}&url=${encodeURIComponent(url)}`

test('a redirect is followed, and reported with its source, its target and its status', async () => {
  await using site = await startHopper()
  await using http = openFetchFor([site])
  const hops: RedirectHop[] = []
  const start = site.url + to(to('/end?x#frag', 308), 301)
  const page = await get(http.fetch, start, { beforeHop: async hop => void hops.push(hop) })
  assert.equal(page.url, start)
  assert.equal(page.finalUrl, `${site.url}/end?x#frag`)
  assert.equal(page.body.toString(), 'arrived')
  assert.deepEqual(page.hops, hops)
  assert.deepEqual(
    hops.map(hop => hop.status),
    [301, 308],
  )
})

test('301, 302 and 303 turn a POST into a GET, 307 and 308 repeat it', async () => {
  await using site = await startHopper()
  await using http = openFetchFor([site])
  const post = { method: 'POST', body: 'a=1', headers: { 'Content-Type': 'text/x', 'X-Key': 'k' } } as const
  for (const status of [301, 302, 303, 307, 308]) {
    await get(http.fetch, site.url + to('/end', status), post)
    const { method, body, headers } = site.seen.at(-1)!
    const expected = status < 307 ? ['GET', '', undefined, 'k'] : ['POST', 'a=1', 'text/x', 'k']
    assert.deepEqual([method, body, headers['content-type'], headers['x-key']], expected, `${status}`)
  }
})

test('a redirected HEAD stays a HEAD', async () => {
  await using site = await startHopper()
  await using http = openFetchFor([site])
  for (const status of [301, 302, 303, 307]) {
    await get(http.fetch, site.url + to('/end', status), { method: 'HEAD' })
    assert.equal(site.seen.at(-1)!.method, 'HEAD')
  }
})

test('a redirect loop ends after ten redirects, that is, after eleven requests', async () => {
  await using site = await startHopper()
  await using server = await startRawServer(
    'HTTP/1.1 302 Found\r\nlocation: /again\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
  )
  await using http = openFetchFor([site, server])
  await failing(get(http.fetch, server.url), 'redirect.too-many')
  assert.equal(server.heads.length, 11)
  await failing(get(http.fetch, site.url + to('/end'), { maxRedirects: 0 }), 'redirect.too-many')
})

test('secrets are sent only to their origin, even when a redirect leads back to it', async () => {
  await using here = await startHopper()
  await using there = await startHopper()
  await using http = openFetchFor([here, there], { defaultHeaders: { 'X-Team': 'a' } })
  const headers = {
    Authorization: 'Bearer s',
    Cookie: 'c=1',
    'X-Api-Key': 'k',
    'Accept-Language': 'de',
    'User-Agent': 'mine',
  }
  await get(http.fetch, here.url + to(there.url + to(`${here.url}/end`)), { headers })
  const [first, back] = here.seen as [Seen, Seen]
  assert.equal(first.headers['x-api-key'], 'k')
  for (const { headers: sent } of [there.seen[0]!, back]) {
    for (const name of ['authorization', 'cookie', 'x-api-key', 'x-team'])
      assert.equal(sent[name], undefined, name)
    assert.equal(sent['accept-language'], 'de')
    assert.equal(sent['user-agent'], 'mine')
  }
})

test('a repeated POST to another origin keeps only the headers that describe its body', async () => {
  await using here = await startHopper()
  await using there = await startHopper()
  await using http = openFetchFor([here, there])
  const headers = { 'Content-Type': 'text/x', 'X-Key': 'k' }
  await get(http.fetch, here.url + to(`${there.url}/end`, 307), { method: 'POST', body: 'a', headers })
  const { body, headers: sent } = there.seen[0]!
  assert.deepEqual([body, sent['content-type'], sent['x-key']], ['a', 'text/x', undefined])
})

test('cookies set by redirects are sent by the rules of the jar', async () => {
  await using here = await startHopper()
  await using http = openFetchFor([here], { cookies: new CookieJar() })
  await get(http.fetch, `${here.url}/cookie?url=/end`, { headers: { cookie: 'own=1' } })
  assert.equal(here.seen.at(-1)!.headers.cookie, 'own=1; seen=yes')
  await get(http.withCookies(new CookieJar()), `${here.url}/end`)
  assert.equal(here.seen.at(-1)!.headers.cookie, undefined)
})

test('a check before a redirect can end the request, and the time of the check does not count towards the timeout', async context => {
  await using site = await startHopper()
  await using http = openFetchFor([site])
  const refuse = async () => {
    throw new Failure('scope.redirected-out', 'not ours')
  }
  await failing(get(http.fetch, site.url + to('/end'), { beforeHop: refuse }), 'scope.redirected-out')
  assert.equal(site.seen.length, 1)
  context.mock.timers.enable({ apis: ['Date'] })
  const waitLong = async () => void context.mock.timers.tick(10 * testTimeouts.totalMs)
  assert.equal((await get(http.fetch, site.url + to('/end'), { beforeHop: waitLong })).status, 200)
})

test('a redirect that misses its slot requests another one, and is sent once', async () => {
  await using site = await startHopper()
  await using http = openFetchFor([site])
  const asked: number[] = []
  const beforeHop = async (_hop: RedirectHop, _sentAt: number, lapsed: number) => {
    asked.push(lapsed)
    return () => lapsed === 2
  }
  const page = await get(http.fetch, site.url + to('/end'), { beforeHop })
  assert.equal(page.body.toString(), 'arrived')
  assert.deepEqual([asked, site.seen.length, page.hops.length], [[0, 1, 2], 2, 1])
})

test('a redirect whose Location is not a URL fails as redirect.bad', async () => {
  await using site = await startHopper()
  await using http = openFetchFor([site])
  for (const location of ['http://', 'http://[::1', 'https://exa mple.com/']) {
    await failing(get(http.fetch, site.url + to(location)), 'redirect.bad')
  }
})

test('a Location in raw UTF-8 is accepted', async () => {
  await using server = await startRawServer((socket, path) => {
    const location =
      path === '/' ? 'HTTP/1.1 302 Found\r\nlocation: /caf\u00e9\r\ncontent-length: 0\r\n\r\n' : ''
    socket.end(location || 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
  })
  await using http = openFetchFor([server])
  assert.equal((await get(http.fetch, server.url)).finalUrl, `${server.url}/caf%C3%A9`)
})

test('the body of a redirect is ignored, even if it is endless, truncated or garbage', async () => {
  const bodies = [
    'content-length: 5000\r\n\r\ncut',
    'content-encoding: gzip\r\n\r\ngarbage',
    `\r\n${'x'.repeat(1_000_000)}`,
  ]
  for (const rest of bodies) {
    await using server = await startRawServer((socket, path) => {
      socket.end(
        path === '/' ? `HTTP/1.1 302 Found\r\nlocation: /end\r\n${rest}` : 'HTTP/1.1 200 OK\r\n\r\nend',
      )
    })
    await using http = openFetchFor([server])
    assert.equal((await get(http.fetch, server.url)).body.toString(), 'end')
  }
})
