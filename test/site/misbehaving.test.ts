// Tests that the misbehaving pages misbehave exactly as documented.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, inflateRawSync, zstdDecompressSync } from 'node:zlib'
import { charsetPages } from '../../src/demo-site/misbehaving/index.ts'
import { ask } from './ask.ts'
import { startTestSite } from './index.ts'

const linksIn = (text: string) =>
  [...text.matchAll(/href="([^"]*)"/g)].map(match => match[1]!.replaceAll('&amp;', '&'))

test('the list of misbehaviours has one entry for each kind', async () => {
  await using site = await startTestSite()
  const links = linksIn((await ask(`${site.url}/misbehaving/`)).text)
  assert.ok(links.length > 80)
  assert.equal(new Set(links).size, links.length)
})

test('redirects have the requested status, and a chain ends at its target', async () => {
  await using site = await startTestSite()
  for (const status of [301, 302, 303, 307, 308]) {
    const told = await ask(`${site.url}/redirect/status/${status}?to=/about`)
    assert.deepEqual([told.status, told.headers.location], [status, '/about'])
  }
  const hops: string[] = []
  for (
    let path: string | undefined = '/redirect/chain/3';
    path;
    path = (await ask(site.url + path)).headers.location
  )
    hops.push(path)
  assert.deepEqual(hops, ['/redirect/chain/3', '/redirect/chain/2', '/redirect/chain/1', '/redirect/target'])
})

test('bad redirects of the test site lead to themselves, nowhere, or to forbidden URLs', async () => {
  await using site = await startTestSite()
  const where = async (path: string) => (await ask(site.url + path)).headers.location
  assert.equal(await where('/redirect/self'), '/redirect/self')
  assert.equal(await where('/redirect/no-location'), undefined)
  assert.match((await where('/redirect/to-file'))!, /^file:/)
  assert.match((await where('/redirect/to-data'))!, /^data:/)
  assert.equal(await where('/redirect/other-host'), `http://localhost:${site.port}/redirect/target`)
})

test('a throttled page succeeds after the configured number of requests, counted for each URL', async () => {
  await using site = await startTestSite()
  const statuses = async (path: string) => [
    await ask(site.url + path),
    await ask(site.url + path),
    await ask(site.url + path),
  ]
  const one = await statuses('/throttled?times=2&after=7')
  assert.deepEqual(
    one.map(told => told.status),
    [429, 429, 200],
  )
  assert.equal(one[0]!.headers['retry-after'], '7')
  const other = await statuses('/throttled?times=1&form=date')
  assert.deepEqual(
    other.map(told => told.status),
    [429, 200, 200],
  )
  assert.ok(Date.parse(other[0]!.headers['retry-after']!) > 0)
  assert.deepEqual(
    (await statuses('/recovers?status=502')).map(told => told.status),
    [502, 502, 200],
  )
})

test('truncated, short and broken responses are errors for a strict client', async () => {
  await using site = await startTestSite()
  const broken = [
    '/reset/before-headers',
    '/reset/mid-headers',
    '/reset/mid-body',
    '/length/too-short-a-body',
    '/length/too-long-a-body',
    '/length/two-lengths',
    '/length/negative',
    '/chunks/cut',
    '/chunks/bad-size',
    '/headers/garbage',
  ]
  for (const path of broken) await assert.rejects(ask(site.url + path), Error, path)
  await assert.rejects(ask(`${site.url}/reset/then-fine`), { code: 'ECONNRESET' })
  assert.equal((await ask(`${site.url}/reset/then-fine`)).status, 200)
})

test('a huge page has the requested size, and an endless page never ends', async () => {
  await using site = await startTestSite()
  assert.equal((await ask(`${site.url}/huge?mb=3`)).bytes.length, 3_000_000)
  assert.ok((await ask(`${site.url}/endless`, { maxBytes: 5_000_000 })).bytes.length >= 5_000_000)
})

test('slow pages arrive complete; if the client disconnects, the site closes its side of the connection', async () => {
  await using site = await startTestSite()
  assert.equal((await ask(`${site.url}/slow/drip?bytes=60&ms=0`)).bytes.length, 60)
  assert.match((await ask(`${site.url}/slow/headers?ms=1`)).text, /Hello/)
  assert.match((await ask(`${site.url}/slow/body?ms=1`)).text, /Hello/)
  await ask(`${site.url}/slow/drip?ms=1`, { maxBytes: 2 })
})

test('valid encodings decode to the same page, and broken encodings are errors', async () => {
  await using site = await startTestSite()
  const body = async (name: string) => (await ask(`${site.url}/encoding/${name}`)).bytes
  const plain = await body('identity')
  assert.deepEqual(gunzipSync(await body('gzip')), plain)
  assert.deepEqual(brotliDecompressSync(await body('br')), plain)
  assert.deepEqual(zstdDecompressSync(await body('zstd')), plain)
  assert.deepEqual(inflateRawSync(await body('deflate-raw')), plain)
  assert.deepEqual(gunzipSync(brotliDecompressSync(await body('double'))), plain)
  for (const name of ['gzip-truncated', 'gzip-corrupt', 'lying']) {
    const bytes = await body(name)
    assert.throws(() => gunzipSync(bytes), Error, name)
  }
})

test('a compression bomb is small on the wire and large when decompressed', async () => {
  await using site = await startTestSite()
  const gzip = await ask(`${site.url}/encoding/gzip-bomb?mb=5`)
  const brotli = await ask(`${site.url}/encoding/br-bomb?mb=5`)
  assert.ok(gzip.bytes.length < 10_000 && brotli.bytes.length < 1_000)
  assert.equal(gunzipSync(gzip.bytes).length, 5_000_000)
  assert.equal(brotliDecompressSync(brotli.bytes).length, 5_000_000)
  assert.equal(gzip.headers['content-encoding'], 'gzip')
})

test('charset pages are sent with the declared content type and unchanged bytes', async () => {
  await using site = await startTestSite()
  for (const { path, contentType, body } of charsetPages) {
    const told = await ask(site.url + path)
    assert.deepEqual([told.headers['content-type'], told.bytes], [contentType ?? undefined, body], path)
  }
})

test('trap pages always link to a new URL', async () => {
  await using site = await startTestSite()
  for (const start of ['/calendar/2026/12', '/maze/', '/session/start', '/facets', '/copies/1/']) {
    const seen = new Set([site.url + start])
    let url = site.url + start
    for (let step = 0; step < 20; step++) {
      const links = linksIn((await ask(url)).text).map(href => new URL(href, url).href)
      const fresh = links.find(link => !seen.has(link))
      assert.ok(fresh, `${start} ended after ${step} steps`)
      seen.add(fresh)
      url = fresh
    }
  }
})

test('duplicate pages have exactly the same bytes, and copies name their original', async () => {
  await using site = await startTestSite()
  const [a, b] = [await ask(`${site.url}/duplicate/a`), await ask(`${site.url}/duplicate/b`)]
  assert.equal(a.text, b.text)
  assert.ok(
    (await ask(`${site.url}/canonical/copy/3`)).text.includes(
      `rel="canonical" href="${site.url}/canonical/original"`,
    ),
  )
})

test('the members area can be opened only after a login', async () => {
  await using site = await startTestSite()
  const refused = await ask(`${site.url}/members/secret`)
  assert.deepEqual([refused.status, refused.headers.location], [302, '/login?next=%2Fmembers%2Fsecret'])
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const signedIn = await ask(`${site.url}/login`, {
    method: 'POST',
    headers: form,
    body: 'user=demo&password=demo',
  })
  const cookie = signedIn.headers['set-cookie']![0]!.split(';')[0]!
  assert.equal((await ask(`${site.url}/members/secret`, { headers: { cookie } })).status, 200)
  assert.equal(
    (await ask(`${site.url}/login`, { method: 'POST', headers: form, body: 'user=demo&password=no' })).status,
    401,
  )
})

test('the test site checks passwords, cookies and modification dates', async () => {
  await using site = await startTestSite()
  assert.equal((await ask(`${site.url}/auth/basic`)).status, 401)
  const authorization = `Basic ${btoa('demo:demo')}`
  assert.equal((await ask(`${site.url}/auth/basic`, { headers: { authorization } })).status, 200)
  assert.deepEqual(
    JSON.parse((await ask(`${site.url}/cookies`, { headers: { cookie: 'a=1; b=x=y' } })).text),
    { a: '1', b: 'x=y' },
  )
  const since = { 'if-modified-since': 'Thu, 01 Jan 2026 00:00:00 GMT' }
  assert.equal((await ask(`${site.url}/cached/last-modified`, { headers: since })).status, 304)
})
