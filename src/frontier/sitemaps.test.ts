// Tests sitemaps as real sites serve them: compressed, broken, endless, or not sitemaps at all.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { parseSitemap } from './sitemaps.ts'

const locsOf = (body: Buffer | string): string[] => parseSitemap(body).urls.map(entry => entry.loc)
const urlset = (...locs: string[]): string =>
  `<urlset>${locs.map(loc => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`

test('a sitemap gives its URLs with valid dates and priorities', () => {
  const body = `<?xml version="1.0" encoding="UTF-8"?>
    <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
      <url><loc>https://a.example/?a=1&amp;b=2</loc><lastmod>2026-01-02</lastmod><priority>0.5</priority></url>
      <url><loc><![CDATA[https://a.example/?c=1&d=2]]></loc><lastmod>never</lastmod><priority>9</priority>
        <image:image><image:loc>https://a.example/i.png</image:loc></image:image></url>
    </urlset>`
  assert.deepEqual(parseSitemap(body), {
    kind: 'urlset',
    urls: [
      { loc: 'https://a.example/?a=1&b=2', lastmod: '2026-01-02', priority: 0.5 },
      { loc: 'https://a.example/?c=1&d=2' },
    ],
    sitemaps: [],
    truncated: false,
    problems: [],
  })
})

test('an index gives further sitemaps, not pages', () => {
  const { kind, urls, sitemaps } = parseSitemap(
    '<s:sitemapindex xmlns:s="x"><s:sitemap><s:loc>https://a.example/1.xml</s:loc></s:sitemap></s:sitemapindex>',
  )
  assert.deepEqual([kind, urls, sitemaps], ['index', [], ['https://a.example/1.xml']])
})

test('feeds and lists of lines are sitemaps too', () => {
  const rss =
    '<rss><channel><link>https://a.example/</link><item><link>https://a.example/1</link></item></channel></rss>'
  const atom =
    '<feed><link href="https://a.example/"/><entry><link rel="self" href="x"/><link href="https://a.example/2"/></entry></feed>'
  assert.deepEqual(locsOf(rss), ['https://a.example/1'])
  assert.deepEqual(locsOf(atom), ['https://a.example/2'])
  assert.equal(parseSitemap(atom).kind, 'feed')
  assert.deepEqual(parseSitemap('\ufeffhttps://a.example/1\r\n\r\n https://a.example/2 \nhello'), {
    kind: 'text',
    urls: [{ loc: 'https://a.example/1' }, { loc: 'https://a.example/2' }],
    sitemaps: [],
    truncated: false,
    problems: ['lines that are not URLs: 1'],
  })
})

test('compression is detected by the first bytes of a file, even if the file is compressed twice', () => {
  const body = urlset('https://a.example/')
  assert.deepEqual(locsOf(gzipSync(body)), ['https://a.example/'])
  assert.deepEqual(locsOf(gzipSync(gzipSync(body))), ['https://a.example/'])
})

test('URLs before the end of a truncated file are kept, and the truncation is reported', () => {
  const whole = urlset(...Array.from({ length: 5_000 }, (_, index) => `https://a.example/${index * 7919}`))
  const packed = gzipSync(whole)
  const { urls, truncated, problems } = parseSitemap(packed.subarray(0, packed.length / 2))
  assert.ok(urls.length > 100 && urls.length < 5_000, `${urls.length}`)
  assert.ok(truncated && problems.length > 0)
})

test('a sitemap that decompresses endlessly is read up to the limit', () => {
  const bomb = gzipSync(urlset('https://a.example/') + ' '.repeat(5_000_000))
  const { urls, truncated } = parseSitemap(bomb, { maxBytes: 1_000_000 })
  assert.ok(truncated)
  assert.ok(urls.length <= 1)
})

test('a sitemap with too many URLs is read up to the limit, and the rest is reported', () => {
  const many = urlset(...Array.from({ length: 60 }, (_, index) => `https://a.example/${index}`))
  const { urls, truncated, problems } = parseSitemap(many, { maxUrls: 50 })
  assert.equal(urls.length, 50)
  assert.ok(truncated)
  assert.deepEqual(problems, ['more than 50 URLs; the rest was not read'])
})

test('a sitemap is decoded by its byte order mark or its declaration', () => {
  const body = urlset('https://a.example/é')
  for (const encoded of [
    Buffer.from(`\ufeff${body}`, 'utf16le'),
    Buffer.from(body, 'utf16le'),
    Buffer.from(`\ufeff${body}`, 'utf16le').swap16(),
    Buffer.from(`<?xml version="1.0" encoding="iso-8859-1"?>${body}`, 'latin1'),
    Buffer.from(`<?xml version="1.0" encoding="no-such"?>${body}`),
    Buffer.from(`<?xml version="1.0" encoding="UTF-16"?>${body}`),
  ])
    assert.deepEqual(locsOf(encoded), ['https://a.example/é'])
})

test('entities of a document type are not expanded', () => {
  const body = `<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>${urlset('https://a.example/&b;&f;')}`
  assert.deepEqual(locsOf(body), ['https://a.example/&b;&f;'])
})

test('an entity or a bare ampersand split over two chunks is read like any other', () => {
  for (let shift = 0; shift < 12; shift++) {
    const filler = ' '.repeat(65_536 - '<urlset><url><loc>https://a.example/?a'.length - shift)
    assert.deepEqual(locsOf(`<urlset>${filler}<url><loc>https://a.example/?a&amp;b&c</loc></url></urlset>`), [
      'https://a.example/?a&b&c',
    ])
  }
})

test('a page that is not a sitemap gives no URLs, and the reason is reported', () => {
  const html = parseSitemap('<!doctype html><html><body><a href="/x">x</a><br></body></html>')
  assert.deepEqual(html.urls, [])
  assert.deepEqual(html.problems, ['a web page, not a sitemap'])
  assert.match(parseSitemap('<?xml version="1.0"?><x:html/>').problems.join(), /<html>/)
  for (const body of [
    '',
    ' \n',
    '<',
    '<?xml',
    '\0\x01\x02',
    Buffer.from([0x1f, 0x8b]),
    Buffer.from([0xff, 0xfe]),
  ])
    assert.deepEqual(locsOf(body), [])
})

test('a sitemap that is broken everywhere is refused', () => {
  const { truncated, problems } = parseSitemap(`<!doctype ${'x'.repeat(1_000_000)}`)
  assert.ok(truncated)
  assert.ok(problems.length <= 11)
})

test('URLs after an error in a sitemap are still found', () => {
  const body = `<urlset>${'<url><loc>https://a.example/</loc><oops></url>'.repeat(2_000)}</urlset>`
  assert.equal(locsOf(body).length, 2_000)
})

interface BadSitemap {
  id: string
  body?: string
  expect: string
}

const vectors = new URL('../../test/vectors/bad-inputs/sitemaps.json', import.meta.url)
const badSitemaps: BadSitemap[] = JSON.parse(readFileSync(vectors, 'utf8')).files

for (const { id, body, expect } of badSitemaps) {
  if (!body?.startsWith('<') || !expect.startsWith('1 URL')) continue
  test(`bad sitemap ${id} gives ${expect}`, () => {
    const { urls, truncated } = parseSitemap(body)
    assert.equal(urls.length, 1)
    assert.equal(truncated, expect.includes('truncated'))
  })
}

test('bad sitemap smp-029: elements nested a hundred thousand deep do not overflow', () => {
  assert.deepEqual(locsOf(`<urlset>${'<a>'.repeat(100_000)}`), [])
  assert.deepEqual(locsOf('<a>'.repeat(100_000)), [])
})
