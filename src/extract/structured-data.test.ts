// Tests reading JSON-LD and meta elements, valid and broken.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseDocument } from './document/index.ts'
import { compileJsonLdPath, findJsonLd } from './json-ld-path.ts'
import { parseForgiving } from './json-repair.ts'
import { PageFacts } from './page-facts.ts'
import { structuredData } from './structured-data.ts'

const pageWith = (...blocks: string[]) =>
  new PageFacts(
    parseDocument(blocks.map(json => `<script type="application/ld+json">${json}</script>`).join('')),
  )

const lookUp = (facts: PageFacts, path: string) =>
  findJsonLd(facts.jsonLd, compileJsonLdPath(path, 'fields.x.jsonld')).map(({ value }) => value)

const shop = pageWith(
  '[{"@type":"Organization","name":"Shop"}]',
  `{"@graph":[{"@type":["Thing","http://schema.org/Product"],"sku":"A1","offers":[{"price":5},{"price":6}],"brand":{"@id":"#b"}},
    {"@id":"#b","@type":"Brand","name":"Lamp & Co"},{"@type":"ItemList","item":{"@type":"Product","sku":"B2"}}]}`,
)

test('objects are found by type in arrays, graphs and inside others', () => {
  assert.deepEqual(lookUp(shop, 'Product.sku'), ['A1', 'B2'])
  assert.deepEqual(lookUp(shop, 'product.sku'), ['A1', 'B2'])
  assert.deepEqual(lookUp(shop, 'schema:Organization.name'), ['Shop'])
  assert.deepEqual(lookUp(shop, '*.sku'), ['A1', 'B2'])
})

test('a path searches all elements of an array, or one element by its index', () => {
  assert.deepEqual(lookUp(shop, 'Product.offers.price'), [5, 6])
  assert.deepEqual(lookUp(shop, 'Product.offers[1].price'), [6])
  assert.deepEqual(lookUp(shop, 'Product.offers.9.price'), [])
})

test('@main is the main entity of the page, never its breadcrumb', () => {
  const facts = pageWith(
    '{"@type":"BreadcrumbList","itemListElement":[{"@type":"ListItem","name":"Home"}]}',
    '{"@type":"Organization","name":"Tarn"}',
    '{"@type":"Product","name":"Oar"}',
  )
  assert.deepEqual(lookUp(facts, '@main.name'), ['Oar'])
})

test('@main searches the main entity of the page and the objects inside it, never other entities', () => {
  const facts = pageWith(
    '{"@type":"Organization","name":"Tarn","telephone":"123","founder":{"name":"Ada"}}',
    '{"@type":"Product","name":"Oar","offers":{"@type":"Offer","price":"5","seller":{"name":"Shop","email":"a@b.example"}}}',
  )
  assert.deepEqual(lookUp(facts, '@main.price'), ['5'])
  assert.deepEqual(lookUp(facts, '@main.email'), ['a@b.example'])
  assert.deepEqual(lookUp(facts, '@main.telephone'), [])
  assert.deepEqual(lookUp(facts, '@main.founder'), [])
  assert.deepEqual(lookUp(facts, '@main.title'), [])
})

test('a reference is replaced by the object it names', () => {
  assert.deepEqual(lookUp(shop, 'Product.brand.name'), ['Lamp & Co'])
  assert.deepEqual(lookUp(shop, 'Product.brand'), [{ '@id': '#b', '@type': 'Brand', name: 'Lamp & Co' }])
})

const broken: Array<[what: string, text: string, ...values: unknown[]]> = [
  ['a comment around it', '<!-- {"a":1} -->', { a: 1 }],
  ['CDATA around it', '//<![CDATA[\n{"a":1}\n//]]>', { a: 1 }],
  ['a semicolon after it', '{"a":1};', { a: 1 }],
  ['trailing commas', '{"a":[1,2,],}', { a: [1, 2] }],
  ['a line break in a string', '{"a":"b\nc\td"}', { a: 'b\nc\td' }],
  ['an invalid escape', '{"a":"it\\\'s"}', { a: "it's" }],
  ['comments inside', '{/* x */"a":"/* y */" // z\n}', { a: '/* y */' }],
  ['a comment after the last comma', '{"a":[1, // one\n], /* end */}', { a: [1] }],
  ['two commas', '{"a":1,,"b":2}', { a: 1, b: 2 }],
  ['HTML comments inside', '<!-- start -->\n{"a":1, <!-- x --> "b":"<!-- y -->"}', { a: 1, b: '<!-- y -->' }],
  ['control characters in a string', '{"a":"b\u0000\u001bc"}', { a: 'bc' }],
  ['escaped quotes', '{&quot;a&quot;:&quot;b &amp;amp; c&quot;}', { a: 'b &amp; c' }],
  ['a second document', '{"a":1}\n{"b":[2,]}', { a: 1 }, { b: [2] }],
  ['separators between documents', '{"a":"}{"};\n{"b":2},[{"c":3}]', { a: '}{' }, { b: 2 }, [{ c: 3 }]],
  ['one broken document of two', '{"a": }{"b":2}', { b: 2 }],
  ['a missing value', '{"a": }'],
  ['a missing closing bracket', '{"a": {"b": 1}'],
  ['an extra closing bracket', '{"a": 1}}', { a: 1 }],
  ['a program instead of data', 'var x = 1'],
  ['a program around it', 'var x = {"a": 1}'],
]
for (const [what, text, ...values] of broken) {
  test(`JSON with ${what} ${values.length === 0 ? 'gives no data' : 'is repaired and parsed'}`, () => {
    assert.deepEqual(parseForgiving(text), values)
  })
}

test('the repair of broken JSON never changes valid JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const text = JSON.stringify(value)
      assert.deepEqual(parseForgiving(text), [JSON.parse(text)])
      if (typeof value === 'object' && value !== null)
        assert.deepEqual(parseForgiving(`${text};`), [JSON.parse(text)])
    }),
  )
})

test('Open Graph, Twitter and plain meta elements are separate; repeated values become a list; control characters are removed', () => {
  const page = `<meta property="og:image" content=a><meta property="og:image" content=b><meta name="twitter:card" content=c>
    <meta name=Author content="A\x1b[31m B"><meta name=__proto__ content=x><meta name=empty>`
  const data = structuredData(new PageFacts(parseDocument(page)), 'https://a.example/')
  assert.deepEqual(data.open_graph, { image: ['a', 'b'] })
  assert.deepEqual(data.twitter, { card: 'c' })
  assert.deepEqual(data.meta, { author: 'A B' })
})

test('deeply nested JSON-LD causes no error', () => {
  const deep = `{"@type":"A","b":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  const facts = pageWith(deep, `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)
  assert.deepEqual(lookUp(facts, 'A.b.c'), [])
  assert.doesNotThrow(() => JSON.stringify(structuredData(facts, 'https://a.example/')))
})

for (const [kind, attributes] of [
  ['microdata', 'itemprop=a'],
  ['rdfa', 'property=a'],
] as const)
  test(`the ${kind} of nested elements that repeat a long text is no longer than the page`, () => {
    const nested = `${`<div ${attributes}>`.repeat(300)}${'word '.repeat(60_000)}${'</div>'.repeat(300)}`
    const page = `<div itemscope typeof=x>${nested}</div>`
    const data = structuredData(new PageFacts(parseDocument(page)), 'https://a.example/')
    const text = JSON.stringify(data[kind])
    assert.ok(text.includes('word word'))
    assert.ok(text.length <= page.length, `${text.length} characters of ${page.length}`)
  })
