// Tests reading microdata, RDFa Lite, translations and feeds, valid and hostile.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOfType } from '../model/page/thing.ts'
import { parseDocument } from './document/index.ts'
import { readMicrodata } from './microdata.ts'
import { PageFacts } from './page-facts.ts'
import { readRdfa } from './rdfa.ts'
import { structuredData } from './structured-data.ts'
import { thingsOf } from './things.ts'

const base = 'https://a.example/p/'
const microdata = (html: string) => readMicrodata(parseDocument(html), base)
const rdfa = (html: string) => readRdfa(parseDocument(html), base)

test('microdata items can be nested, and each kind of element supplies its own kind of value', () => {
  const [item] = microdata(`<div itemscope itemtype="https://schema.org/Product" itemid="#p">
    <h1 itemprop="name"> Lamp <b>one</b></h1><img itemprop=image src=i.png><a itemprop="url sameAs" href=/x>x</a>
    <time itemprop=releaseDate datetime=2024-01-05>January</time><data itemprop=sku value=A1>one</data>
    <div itemprop=offers itemscope itemtype=http://schema.org/Offer>
      <span itemprop=price content="5.00">five</span><meta itemprop=priceCurrency content=EUR></div></div>`)
  assert.deepEqual(item, {
    '@type': 'Product',
    '@id': 'https://a.example/p/#p',
    name: 'Lamp one',
    image: 'https://a.example/p/i.png',
    url: 'https://a.example/x',
    sameAs: 'https://a.example/x',
    releaseDate: '2024-01-05',
    sku: 'A1',
    offers: { '@type': 'Offer', price: '5.00', priceCurrency: 'EUR' },
  })
})

test('itemref includes properties from other parts of the page, and several values become a list', () => {
  const items = microdata(`<div itemscope itemtype=x/Person itemref="a b a"></div>
    <p id=a><b itemprop=name>Ada</b></p><p id=b><b itemprop=knows>B</b><b itemprop=knows>C</b></p>`)
  assert.deepEqual(items, [{ '@type': 'Person', name: 'Ada', knows: ['B', 'C'] }])
})

test('extraction ends even if items refer to themselves or to each other', () => {
  const circle = microdata(`<div itemscope itemtype=x/A itemref=b></div>
    <div id=b itemprop=other itemscope itemtype=x/B itemref=b2></div><div id=b2><i itemprop=back itemscope itemref=b></i></div>`)
  assert.equal(circle.length, 1)
  const levels = Array.from(
    { length: 40 },
    (_, n) =>
      `<p id=l${n}><i itemprop=a itemscope itemref=l${n + 1}></i><i itemprop=b itemscope itemref=l${n + 1}></i></p>`,
  )
  const wide = `<div itemscope itemref=l0></div>${levels.join('')}`
  assert.ok(JSON.stringify(microdata(wide)).length < 10_000_000)
})

test('many property names on nested elements do not multiply the size of the data', () => {
  const names = Array.from({ length: 50 }, (_, n) => `n${n}`).join(' ')
  const open = `<div itemprop="${names}" itemscope property="${names}" typeof=T>`
  const page = `<div itemscope typeof=T>${open.repeat(30)}text`
  assert.ok(JSON.stringify(microdata(page)).length < 20 * page.length + 1_000_000)
  assert.ok(JSON.stringify(rdfa(page)).length < 20 * page.length + 1_000_000)
})

test('all values of a huge page together have at most a million characters, even if nested elements repeat the same text', () => {
  const text = 'words '.repeat(80_000)
  const nested = (attribute: string) => `${`<div ${attribute}=a>`.repeat(10)}${text}${'</div>'.repeat(10)}`
  const padding = 'other '.repeat(400_000)
  const pages = [
    `<div typeof=Thing>${nested('property')}</div>${padding}`,
    `<div itemscope itemtype=https://schema.org/Thing>${nested('itemprop')}</div>${padding}`,
  ]
  assert.ok(JSON.stringify(rdfa(pages[0]!)).length < 1_100_000)
  assert.ok(JSON.stringify(microdata(pages[1]!)).length < 1_100_000)
})

test('RDFa Lite gives nested items, and ignores Open Graph', () => {
  const page = `<meta property="og:title" content=x><div vocab="https://schema.org/" typeof="schema:Product" resource="#p">
    <span property="schema:name">Lamp</span><link property=url href=/l>
    <div property=offers typeof=Offer><span property=price content=5>five</span></div>
    <div typeof=Person><b property=name>Ada</b></div></div><p property=name>outside</p>`
  assert.deepEqual(rdfa(page), [
    {
      '@type': 'Product',
      '@id': 'https://a.example/p/#p',
      name: 'Lamp',
      url: 'https://a.example/l',
      offers: { '@type': 'Offer', price: '5' },
    },
    { '@type': 'Person', name: 'Ada' },
  ])
})

const job = `<script type="application/ld+json">{"@graph":[{"@type":"WebPage","mainEntity":{"@id":"#j"}},
  {"@id":"#j","@type":["Thing","JobPosting"],"title":"From JSON-LD","hiringOrganization":{"@id":"#o"}},
  {"@id":"#o","@type":"Organization","name":"Kestrel","employee":{"@id":"#o"}}]}</script>
  <div itemscope itemtype="https://schema.org/JobPosting"><b itemprop=title>From microdata</b></div>
  <div vocab="https://schema.org/" typeof=Event><b property=name>From RDFa</b></div>`

const ofType = (type: string) => thingsOf(parseDocument(job), base).filter(thing => isOfType(thing, type))

test('items are found by type, first in JSON-LD, then in microdata, then in RDFa', () => {
  assert.deepEqual(
    ofType('JobPosting').map(({ from, properties }) => [from, properties.title]),
    [
      ['jsonld', 'From JSON-LD'],
      ['microdata', 'From microdata'],
    ],
  )
  assert.equal(ofType('https://schema.org/event')[0]?.from, 'rdfa')
  assert.deepEqual(ofType('Recipe'), [])
})

test('a reference to an item is replaced by the item, without cycles', () => {
  const [posting] = ofType('JobPosting')
  const { hiringOrganization } = posting!.properties as { hiringOrganization: { name: string } }
  assert.equal(hiringOrganization.name, 'Kestrel')
  assert.doesNotThrow(() => JSON.stringify(posting))
})

test('alternate links become translations and feeds with absolute URLs; alternate style sheets are ignored', () => {
  const page = `<link rel=alternate hreflang=de-AT href=/de><link rel="ALTERNATE" hreflang=x-default href=/>
    <link rel=alternate hreflang=de-AT href=/later><link rel=alternate type="application/rss+xml; charset=utf-8" title=" News " href=/rss>
    <link rel=alternate type=application/atom+xml href=/atom><link rel=alternate type=application/atom+xml href=/atom>
    <link rel="alternate stylesheet" href=/s.css><link rel=alternate hreflang=fr href="javascript:1">`
  assert.deepEqual(structuredData(new PageFacts(parseDocument(page)), base), {
    hreflang: { 'de-at': 'https://a.example/de', 'x-default': 'https://a.example/' },
    feeds: [
      { url: 'https://a.example/rss', type: 'rss', title: 'News' },
      { url: 'https://a.example/atom', type: 'atom', title: null },
    ],
  })
})

test('a page without structured data gives no data, and markup inside templates is ignored', () => {
  const page = '<p>Hello</p><template><div itemscope typeof=T><b itemprop=a property=a>x</b></div></template>'
  assert.deepEqual(structuredData(new PageFacts(parseDocument(page)), base), {})
})
