// Tests the files of a previewed page: they are put into its style sheets within limits, and each is requested once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../model/failures.ts'
import type { Page } from '../../model/page/page.ts'
import type { Fetch } from '../../ports/fetch.ts'
import { inlineLook, lookLimits, sheetTexts } from './look-files.ts'
import { fieldsIn, lookOf } from './page-look.ts'

const pageOf = (url: string, type: string, body: string): Page =>
  ({
    ...{ url, finalUrl: url, status: 200, headers: [['content-type', type]], body: Buffer.from(body) },
    ...{ startedAt: 0, endedAt: 1 },
  }) as unknown as Page

const files: Record<string, [type: string, body: string]> = {
  '/a.css': [
    'text/css',
    '@import "b.css" screen; h1 { background: url(pic.png) } @font-face { src: url("f.woff2") }',
  ],
  '/b.css': ['text/css', 'p { color: red }'],
  '/pic.png': ['image/png', 'PNG'],
  '/f.woff2': ['font/woff2', 'FONT'],
  '/page.html': ['text/html', 'no image'],
}

function site() {
  const asked: string[] = []
  const fetch: Fetch = async ({ url }) => {
    const { pathname } = new URL(url)
    asked.push(pathname)
    const file = files[pathname]
    if (!file) throw new Failure('http.not-found', `${url} answered 404`)
    return pageOf(url, ...file)
  }
  return { asked, fetch }
}

const shop = (body: string, head = ''): Page =>
  pageOf('https://a.example/shop/', 'text/html', `<html><head>${head}</head><body>${body}</body></html>`)

test('style sheets come in the order of the page, with their imports, and with fonts and images as data: URLs', async () => {
  const { asked, fetch } = site()
  const head = '<style>b { x: y }</style><link rel=stylesheet href=/a.css media=print><script>evil()</script>'
  const look = lookOf(shop('<h1>Hi</h1><img src=/pic.png><img src=data:x data-src=/pic.png>', head))!
  assert.ok(!look.html.includes('evil') && !look.html.includes('<style'))
  const { styles, images, missing } = await inlineLook(fetch, look)
  assert.equal(styles[0], 'b { x: y }')
  assert.match(styles[1]!, /^@media print \{@media screen \{p \{ color: red \}\}/)
  assert.ok(styles[1]!.includes(`url("data:image/png;base64,${Buffer.from('PNG').toString('base64')}")`))
  assert.ok(styles[1]!.includes('url("data:font/woff2;base64,'))
  assert.equal(images.length, 2)
  assert.ok(images.every(({ data }) => data.startsWith('data:image/png')))
  assert.deepEqual([missing, asked.sort()], [0, ['/a.css', '/b.css', '/f.woff2', '/pic.png']])
})

test('missing files, non-images and files above the limits are left out and counted', async () => {
  const { asked, fetch } = site()
  const images = ['/none.png', '/page.html', '/pic.png', '/f.woff2'].map(src => `<img src=${src}>`).join('')
  const look = lookOf(shop(images))!
  const all = await inlineLook(fetch, look)
  assert.deepEqual([all.images.length, all.missing], [1, 1])
  const few = await inlineLook(fetch, look, { ...lookLimits, files: 1 })
  assert.deepEqual([few.images.length, few.missing], [0, 4])
  const small = await inlineLook(fetch, look, { ...lookLimits, bytes: 2 })
  assert.equal(small.images.length, 0)
  assert.ok(asked.length < 13)
})

test('the view of a page says if the page is empty without scripts; content that is not HTML has no view', () => {
  const shell = lookOf(shop('<div id=root></div><script src=/app.js></script>'))!
  assert.match(shell.shell ?? '', /is empty/)
  assert.equal(lookOf(shop(`<p>${'words '.repeat(200)}</p>`))!.shell, null)
  assert.equal(lookOf(pageOf('https://a.example/x', 'application/pdf', '%PDF')), null)
})

test('fields are located in the page by their rules', () => {
  const page = shop('<ul><li><b>One</b><i>1</i></li><li><b>Two</b></li></ul>')
  const html = lookOf(page)!.html
  const places = fieldsIn(page, { each: 'li', fields: { name: 'b', count: { xpath: './i' } } })
  assert.deepEqual(
    places.map(({ field, record }) => [field, record]),
    [
      ['name', 0],
      ['count', 0],
      ['name', 1],
    ],
  )
  assert.ok(html.includes(`<b data-kscrape-node="${places[2]!.node}">Two</b>`))
})

/** A site whose files may be large, and the number of requests for each file. */
function hostileSite(own: Record<string, [type: string, body: string]>) {
  const asked: string[] = []
  const fetch: Fetch = async ({ url }) => {
    const { pathname } = new URL(url)
    asked.push(pathname)
    return pageOf(url, ...own[pathname]!)
  }
  return { asked, fetch }
}

const sizeOf = (value: unknown): number => JSON.stringify(value).length

test('a file that a page uses many times is in the response only once', async () => {
  const image = 'x'.repeat(100_000)
  const { asked, fetch } = hostileSite({
    '/big.png': ['image/png', image],
    '/self.css': ['text/css', '@import "self.css";'.repeat(100) + 'b { background: url(big.png) }'],
  })
  const limits = { ...lookLimits, characters: 1_000_000 }
  const pages = [
    shop('<img src=/big.png>'.repeat(250)),
    shop('', `<style>${'a { background: url(/big.png) } '.repeat(2_000)}</style>`),
    shop('', '<link rel=stylesheet href=/self.css>'),
    shop('', '<link rel=stylesheet href=/self.css>'.repeat(1_000)),
    shop(
      '<p style="background:url(/big.png)">'.repeat(50) + '<i style="background:url(/big.png#1)">'.repeat(50),
    ),
  ]
  for (const page of pages) {
    const look = await inlineLook(fetch, lookOf(page)!, limits)
    assert.ok(sizeOf({ ...look, html: '' }) < 2_000_000, `${sizeOf(look)} characters`)
  }
  assert.ok(asked.length < 20)
  const plain = await sheetTexts(fetch, lookOf(pages[3]!)!.sheets, limits)
  assert.ok(plain.css.length < 2_000_000)
  assert.ok(plain.missing > 0)
})

test('style sheets full of unclosed imports and URLs are parsed in one pass', async () => {
  const { fetch } = hostileSite({})
  const texts = [
    '@import a ',
    'url(',
    'url("',
    '@import url( ',
    '@import "',
    'url( a',
    `@import ${'a'.repeat(5_000)} `,
  ]
  for (const text of texts) {
    const css = text.repeat(1_000_000 / text.length)
    const { styles } = await inlineLook(
      fetch,
      lookOf(shop(`<b style='${text.repeat(9)}'>`, `<style>${css}</style>`))!,
    )
    assert.ok(styles.join('').length <= css.length)
  }
})

test('an import of a style sheet may have a semicolon in its quoted URL, and a media condition', async () => {
  const { fetch } = hostileSite({
    '/fonts;1@2': ['text/css', 'i { a: b }'],
    '/m.css': ['text/css', 'u { c: d }'],
  })
  const css = `@import url('/fonts;1@2'); @import url(/m.css) print; @import "data:text/css,x"; b { e: f }`
  const { styles } = await inlineLook(fetch, lookOf(shop('', `<style>${css}</style>`))!)
  assert.equal(styles[0], 'i { a: b } @media print {u { c: d }}  b { e: f }')
})
