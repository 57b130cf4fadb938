// Tests that the demo site works as documented: pages, machine-readable data, the same content on every start.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { startDemoSite } from '../../src/demo-site/index.ts'
import { ask } from './ask.ts'

const jsonLdIn = (text: string) =>
  [...text.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/gs)].map(match =>
    JSON.parse(match[1]!),
  )
const linksIn = (text: string) =>
  [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(match => match[1]!.replaceAll('&amp;', '&'))
const locationsIn = (text: string) => [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(match => match[1]!)

async function startSmall() {
  return startDemoSite({ products: 24 })
}

async function crawl(site: { url: string }): Promise<Map<string, number>> {
  const seen = new Map<string, number>()
  const waiting = ['/']
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    const { status, headers, text } = await ask(site.url + path)
    seen.set(path, status)
    if (!headers['content-type']?.startsWith('text/html')) continue
    const links = linksIn(text).map(href => new URL(href, site.url + path))
    waiting.push(...links.filter(link => link.origin === site.url).map(link => link.pathname))
  }
  return seen
}

test('every link on the demo site leads to a page, and following links finds every product', async () => {
  await using site = await startSmall()
  const seen = await crawl(site)
  assert.deepEqual(
    [...seen].filter(([, status]) => status !== 200),
    [],
  )
  assert.equal([...seen.keys()].filter(path => /^\/products\/[a-z]/.test(path)).length, 24)
})

test('a product page has its price as text and its data in machine-readable form', async () => {
  await using site = await startSmall()
  const [path] = linksIn((await ask(`${site.url}/categories/chairs`)).text).filter(href =>
    href.startsWith('/products/'),
  )
  const { text } = await ask(site.url + path)
  const product = jsonLdIn(text).find(data => data['@type'] === 'Product')
  assert.match(product.sku, /^KS-\d{5}$/)
  assert.match(product.offers.price, /^\d+\.\d\d$/)
  const shown = /class="price">([^<]+)</.exec(text)![1]!
  assert.equal(shown.replace(/\D/g, ''), product.offers.price.replace('.', ''))
  assert.match(text, /<link rel="canonical" href="http:\/\/127\.0\.0\.1:\d+\/products\//)
})

test('the demo site is the same on every start', async () => {
  await using first = await startSmall()
  await using second = await startSmall()
  for (const path of ['/', '/categories/lamps', '/blog/', '/jobs', '/sitemap.xml']) {
    const [one, other] = [await ask(first.url + path), await ask(second.url + path)]
    assert.equal(one.text.replaceAll(String(first.port), ''), other.text.replaceAll(String(second.port), ''))
  }
})

test('the sitemap index names a plain and a gzipped sitemap, and together they list every product', async () => {
  await using site = await startSmall()
  const files = locationsIn((await ask(`${site.url}/sitemap.xml`)).text)
  assert.deepEqual(
    files.map(url => new URL(url).pathname),
    ['/sitemap-pages.xml', '/sitemap-products-1.xml.gz'],
  )
  const packed = await ask(files[1]!)
  assert.equal(packed.headers['content-encoding'], undefined)
  const products = locationsIn(gunzipSync(packed.bytes).toString())
  assert.equal(new Set(products).size, 24)
  assert.equal((await ask(products[7]!)).status, 200)
})

test('a department has several pages, with rel=next up to the last page', async () => {
  await using site = await startDemoSite({ products: 200 })
  const pages: string[] = []
  for (let path: string | undefined = '/categories/audio'; path; ) {
    pages.push(path)
    const { text } = await ask(site.url + path)
    path = /<link rel="next" href="([^"]+)"/.exec(text)?.[1]
  }
  assert.deepEqual(pages, ['/categories/audio', '/categories/audio?page=2', '/categories/audio?page=3'])
  assert.equal((await ask(`${site.url}/categories/audio?page=4`)).status, 404)
})

test('robots.txt disallows the ledger and has the configured crawl delay', async () => {
  await using site = await startDemoSite({ crawlDelaySeconds: 0.05 })
  const { text } = await ask(`${site.url}/robots.txt`)
  assert.match(text, /^Disallow: \/private\/$/m)
  assert.match(text, /^Crawl-delay: 0\.05$/m)
  assert.match(text, new RegExp(`^Sitemap: ${site.url}/sitemap.xml$`, 'm'))
})

test('text that a visitor enters is shown as text, never as markup', async () => {
  await using site = await startSmall()
  const { text } = await ask(`${site.url}/search?q=%3Cscript%3Ealert(1)%3C/script%3E`)
  assert.ok(!text.includes('<script>alert(1)'))
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const posted = await ask(`${site.url}/contact`, {
    method: 'POST',
    headers: form,
    body: 'name=%3Cb%3E&message=hello',
  })
  assert.match(posted.text, /Thank you, &lt;b&gt;/)
})

test('the echo route returns the query and the headers of the request', async () => {
  await using site = await startSmall()
  const told = JSON.parse((await ask(`${site.url}/echo?x=y`, { headers: { 'x-mark': '7' } })).text)
  assert.deepEqual(told.query, { x: 'y' })
  assert.equal(told.headers['x-mark'], '7')
})

test('a request for an unchanged page gets a 304, and gzip is used only if requested', async () => {
  await using site = await startSmall()
  const plain = await ask(`${site.url}/about`)
  assert.equal(plain.headers['content-encoding'], undefined)
  const packed = await ask(`${site.url}/about`, { headers: { 'accept-encoding': 'gzip, br' } })
  assert.equal(gunzipSync(packed.bytes).toString(), plain.text)
  const again = await ask(`${site.url}/about`, { headers: { 'if-none-match': plain.headers.etag! } })
  assert.deepEqual([again.status, again.bytes.length], [304, 0])
})

test('the feed, the PDF, the images and the script match their types', async () => {
  await using site = await startSmall()
  const starts = {
    '/feed.xml': '<?xml',
    '/files/catalogue.pdf': '%PDF-',
    '/images/logo.png': '\x89PNG',
    '/images/products/3.svg': '<svg',
    '/llms.txt': '# ',
  }
  for (const [path, start] of Object.entries(starts)) {
    const { bytes } = await ask(site.url + path)
    assert.ok(bytes.toString('latin1').startsWith(start), path)
  }
  const shell = await ask(`${site.url}/spa/`)
  assert.ok(!shell.text.includes('price') && shell.text.includes('/spa/app.js'))
})

test('by default the demo site does not misbehave', async () => {
  await using site = await startSmall()
  for (const path of ['/misbehaving/', '/redirect/self', '/encoding/gzip-bomb']) {
    assert.equal((await ask(site.url + path)).status, 404)
  }
})

test('if the port is in use, the start fails and the error names the remedy', async () => {
  await using site = await startSmall()
  await assert.rejects(startDemoSite({ port: site.port }), {
    code: 'input.invalid',
    message: /EADDRINUSE.*choose another port/,
  })
})
