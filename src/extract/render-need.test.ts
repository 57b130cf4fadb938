// Tests which pages need a browser: golden pages that need one, golden pages that do not, and the effect of missing fields.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseDocument } from './document/index.ts'
import { renderNeed } from './render-need.ts'

const golden = join(import.meta.dirname, '../../test/golden')
const needOf = (html: string, missingRequired: string[] = []) =>
  renderNeed({ document: parseDocument(html), missingRequired })
const pagesIn = (folder: string) =>
  readdirSync(join(golden, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.html'))
    .map(name => ({ name, html: readFileSync(join(golden, folder, name), 'utf8') }))

for (const { name, html } of pagesIn('render-need/needs'))
  test(`${name} needs a browser, and the reason is given`, () => {
    const need = needOf(html)
    assert.ok(need.needs)
    assert.match(need.why, /script/)
  })

for (const { name, html } of pagesIn('render-need/plain'))
  test(`${name} is complete without a browser`, () => assert.deepEqual(needOf(html), { needs: false }))

test('server-rendered pages need no browser, whatever their topic', () => {
  const pages = [...pagesIn('extract'), ...pagesIn('../../src/scraper/builtin/golden')].filter(
    page => !page.name.includes('single-page-app'),
  )
  assert.ok(pages.length > 20)
  for (const { name, html } of pages) assert.deepEqual(needOf(html), { needs: false }, name)
})

const article = `<h1>Tides</h1><p>${'High water comes twice a day. '.repeat(30)}</p>`

test('a page that lacks a required field needs a browser if scripts may add the field', () => {
  const need = needOf(`${article}<script src="/js/prices.js"></script>`, ['price', 'stock'])
  assert.ok(need.needs)
  assert.match(need.why, /"price", "stock"/)
})

const scripted = (src: string) => `<body><div></div><script src="${src}"></script></body>`

test('the host and the file name of a script decide whether it may add content, not the folders in its URL', () => {
  for (const src of [
    '/flutter_bootstrap.js',
    '/analytics-app/main.4f2a.js',
    'https://cdn.example/segment.builder/jquery-free/app.js',
    '/static/js/sentry-dashboard.js',
    '/polyfill-demo/index.js',
  ])
    assert.equal(needOf(scripted(src)).needs, true, src)
  for (const src of [
    '/js/bootstrap.bundle.min.js',
    'https://code.jquery.com/jquery-3.7.1.slim.min.js',
    'https://www.googletagmanager.com/gtag/js?id=G-1',
    '/js/analytics.js',
    '/wp-includes/js/jquery/jquery-migrate.min.js?ver=3.4.1',
    'https://cdn.cookielaw.org/scripttemplates/otSDKStub.js',
  ])
    assert.equal(needOf(scripted(src)).needs, false, src)
})

const legal = 'We use cookies to keep you signed in and to measure how the site is used. '.repeat(8)

test('a page with an empty root element needs a browser, however long its cookie notice and its footer are', () => {
  const shell = (beside: string) =>
    `<body><div id="root"></div>${beside}<script type="module" src="/assets/index.js"></script></body>`
  for (const beside of [
    `<div class="cookie-banner"><p>${legal}</p></div>`,
    `<div class="x1"><div><p>${legal}</p></div></div>`,
    `<div class="site-footer"><p>${'Imprint and address of the company. '.repeat(20)}</p></div>`,
    `<div class="x2"><p>${'Trading under licence. '.repeat(30)} © 2026 Example Ltd.</p></div>`,
  ]) {
    const need = needOf(shell(beside))
    assert.ok(need.needs, beside)
    assert.match(need.why, /<div id="root"> is empty/)
  }
  assert.equal(needOf(shell(`<main>${article}<p>© 2026</p></main>`)).needs, false)
})

test('a long inline script counts as a script that may add content, even if it mentions a visitor counter', () => {
  const program = `window.dataLayer = []; ${'render(state); '.repeat(400)} fetch('/api/items').then(show)`
  assert.equal(needOf(`<body><div></div><script>${program}</script></body>`).needs, true)
  assert.equal(
    needOf("<body><div></div><script>window.dataLayer=[];document.head.appendChild(gtag('js'))</script>")
      .needs,
    false,
  )
})

test('a missing field needs no browser if the page has no scripts of its own', () => {
  assert.equal(needOf(article, ['price']).needs, false)
  const counted = `${article}<script src="https://www.google-analytics.com/analytics.js"></script>`
  assert.equal(needOf(counted, ['price']).needs, false)
  assert.equal(needOf(`${article}<script type="application/ld+json">{}</script>`, ['price']).needs, false)
})

test('without any script no page needs a browser', () => {
  const words = fc.array(
    fc.constantFrom(
      'root',
      'app',
      'loading',
      '{{ a }}',
      '{{ b }}',
      'text',
      '<p>',
      '<div id="root">',
      '<noscript>enable JavaScript</noscript>',
    ),
  )
  fc.assert(fc.property(words, parts => !needOf(parts.join(' '), ['name']).needs))
})

test('a page whose framework root has enough text needs no browser', () => {
  const sentence = fc.array(fc.constantFrom('sea', 'wind', 'boat', 'harbour', 'tide'), { minLength: 100 })
  fc.assert(
    fc.property(sentence, words => {
      const html = `<div id="root"><p>${words.join(' ')}</p></div><script src="/main.js"></script>`
      return !needOf(html).needs
    }),
  )
})
