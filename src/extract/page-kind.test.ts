// Tests how the kind of a page is derived from its declared type and its structure.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDocument } from './document/index.ts'
import { PageFacts } from './page-facts.ts'
import { pageKind } from './page-kind.ts'

const prose =
  '<p>The harbour froze early that year, and the ferries stayed at their moorings until March.</p>'
const kindOf = (head: string, body: string) => {
  const document = parseDocument(`<html><head>${head}</head><body>${body}</body></html>`)
  return pageKind(new PageFacts(document))
}
const jsonLd = (value: object) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`

test('the type in structured data decides the kind of a page, also inside a graph', () => {
  const cases: Array<[object, string]> = [
    [{ '@type': 'NewsArticle' }, 'article'],
    [{ '@graph': [{ '@type': 'WebPage' }, { '@type': ['Recipe'] }, { '@type': 'Article' }] }, 'recipe'],
    [{ '@type': 'Product', name: 'Lamp' }, 'product'],
    [{ '@type': 'QAPage', mainEntity: { '@type': 'Question' } }, 'discussion'],
    [{ '@type': 'TechArticle' }, 'documentation'],
  ]
  for (const [thing, kind] of cases) {
    const verdict = kindOf(jsonLd(thing), prose)
    assert.deepEqual([verdict.kind, verdict.sure], [kind, true], verdict.why)
  }
})

test('many items side by side are a listing, with low confidence', () => {
  const thing = { '@type': 'Product', name: 'Lamp' }
  const verdict = kindOf(jsonLd([thing, thing, thing, thing]), '')
  assert.deepEqual([verdict.kind, verdict.sure], ['listing', false])
})

test('microdata and og:type decide the kind of a page if there is no JSON-LD', () => {
  assert.equal(kindOf('', '<div itemscope itemtype="http://schema.org/Product">Lamp</div>').kind, 'product')
  assert.equal(kindOf('<meta property="og:type" content="product">', '').kind, 'product')
  assert.deepEqual(kindOf('<meta property="og:type" content="article">', prose.repeat(20)).sure, true)
})

test('without a declared type, the structure of the page decides its kind, with low confidence', () => {
  const links = '<li><a href="/a">A lamp of brass with a green shade and a long cord</a></li>'
  const shapes: Array<[string, string]> = [
    [prose.repeat(40), 'article'],
    [`<ul>${links.repeat(60)}</ul>`, 'listing'],
    [`${prose}<pre>${'const lamp = open()\n'.repeat(30)}</pre>`, 'documentation'],
    ['<p>Hello.</p>', 'other'],
  ]
  for (const [body, kind] of shapes) {
    const verdict = kindOf('', body)
    assert.deepEqual([verdict.kind, verdict.sure], [kind, false], verdict.why)
  }
})

test('a long text below long menus is an article, even if structured data describes several articles', () => {
  const links = '<li><a href="/a">A lamp of brass with a green shade and a long cord</a></li>'
  const menus = `<div><ul>${links.repeat(120)}</ul></div>`
  assert.equal(kindOf('', `${menus}${prose.repeat(14)}`).kind, 'article')
  const teaser = `<div>${links}${prose}</div>`
  assert.equal(kindOf('', `${menus}${teaser.repeat(14)}`).kind, 'listing')
  const things = Array.from({ length: 4 }, () => ({ '@type': 'Article' }))
  assert.equal(kindOf(jsonLd(things), `${menus}${prose.repeat(14)}`).kind, 'article')
})

test('reviews on a page do not make it an article', () => {
  const review = { '@type': 'Review', reviewBody: 'Light and strong.' }
  assert.equal(kindOf(jsonLd([review, review]), '<h1>Oars</h1>').kind, 'other')
  assert.equal(kindOf(jsonLd(review), prose.repeat(40)).kind, 'article')
})
