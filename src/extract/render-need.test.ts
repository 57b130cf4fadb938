// Which pages need a browser: golden pages both ways, and what missing fields add.
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
  test(`${name} needs a browser, and the reason is told`, () => {
    const need = needOf(html)
    assert.ok(need.needs)
    assert.match(need.why, /script/)
  })

for (const { name, html } of pagesIn('render-need/plain'))
  test(`${name} is whole as it came`, () => assert.deepEqual(needOf(html), { needs: false }))

test('pages that servers wrote need none, whatever they are about', () => {
  const pages = [...pagesIn('extract'), ...pagesIn('../../src/scraper/builtin/golden')].filter(
    page => !page.name.includes('single-page-app'),
  )
  assert.ok(pages.length > 20)
  for (const { name, html } of pages) assert.deepEqual(needOf(html), { needs: false }, name)
})

const article = `<h1>Tides</h1><p>${'High water comes twice a day. '.repeat(30)}</p>`

test('a required field that is missing is looked for in the browser where scripts may bring it', () => {
  const need = needOf(`${article}<script src="/js/prices.js"></script>`, ['price', 'stock'])
  assert.ok(need.needs)
  assert.match(need.why, /"price", "stock"/)
})

test('a missing field of a page without scripts of its own is just missing', () => {
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

test('any text of some length makes a framework root a written page', () => {
  const sentence = fc.array(fc.constantFrom('sea', 'wind', 'boat', 'harbour', 'tide'), { minLength: 100 })
  fc.assert(
    fc.property(sentence, words => {
      const html = `<div id="root"><p>${words.join(' ')}</p></div><script src="/main.js"></script>`
      return !needOf(html).needs
    }),
  )
})
