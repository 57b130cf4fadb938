// Tests extraction rules over whole pages, with the real normalizer.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseDocument } from '../../src/extract/document/index.ts'
import { openRegexRunner } from '../../src/extract/regex-runner.ts'
import { applyRules, compileRules } from '../../src/extract/rules/index.ts'
import { type ExtractionRules, extractionRules } from '../../src/model/extraction-rules.ts'
import { Failure } from '../../src/model/failures.ts'
import { coerce } from '../../src/normalize/index.ts'
import selectors from '../vectors/bad-inputs/selectors.json' with { type: 'json' }

const regex = openRegexRunner({ timeoutMs: 500 })
after(() => regex[Symbol.asyncDispose]())

const url = 'https://shop.example/a/b'

function apply(html: string, rules: ExtractionRules) {
  const document = parseDocument(html)
  const compiled = compileRules(extractionRules.parse(rules))
  return applyRules(document, compiled, { url, baseUrl: url, source: html, coerce, regex })
}

async function first(html: string, fields: ExtractionRules['fields']) {
  const [record] = await apply(html, { fields })
  return record!
}

const product = `<html lang=en><h1> A  <b>lamp</b></h1><p class=price>$ 1,299.00</p><p class=price>$5</p>
  <a href=/x?utm_source=y>more<script>no()</script></a><time datetime=2024-03-05>yesterday</time><div class=e> </div>
  <meta name=Keywords content="a &amp; b"><input name=q value=typed checked>`

test('rules without a regex are applied synchronously', () => {
  const records = apply(product, { fields: { name: 'h1' } })
  assert.ok(Array.isArray(records))
  assert.deepEqual(records[0]!.data, { name: 'A lamp' })
})

test('each type of value is taken from the right part of its element', async () => {
  const { data } = await first(product, {
    price: { css: '.price', as: 'money' },
    prices: { css: '.price', as: 'money', many: true },
    link: { css: 'a', as: 'url' },
    label: 'a',
    href: 'a::attr(href)',
    when: { css: 'time', as: 'date' },
    said: { css: 'time::text' },
    keywords: { meta: 'keywords' },
    typed: 'input',
    checked: { css: 'input', attr: 'checked', as: 'boolean' },
    heading: { css: 'h1', as: 'html' },
  })
  assert.deepEqual(data, {
    price: { amount: 1299, currency: 'USD' },
    prices: [
      { amount: 1299, currency: 'USD' },
      { amount: 5, currency: 'USD' },
    ],
    link: 'https://shop.example/x',
    label: 'more',
    href: '/x?utm_source=y',
    when: '2024-03-05',
    said: 'yesterday',
    keywords: 'a & b',
    typed: 'typed',
    checked: true,
    heading: 'A  <b>lamp</b>',
  })
})

test('a missing value is null or its default, and the record says why it is missing', async () => {
  const { data, provenance } = await first(product, {
    name: 'h1',
    author: '.author',
    tags: { css: '.tag', many: true },
    empty: '.e',
    stock: { css: 'h1', as: 'number' },
    rating: { css: '.rating', as: 'number', default: 0 },
  })
  assert.deepEqual(data, { name: 'A lamp', author: null, tags: [], empty: null, stock: null, rating: 0 })
  assert.deepEqual(provenance.name, { from: 'css', by: 'h1' })
  assert.deepEqual(provenance.author, { from: 'none', by: '.author', why: 'nothing found by css' })
  assert.equal(provenance.empty!.why, 'found, but empty')
  assert.equal(provenance.stock!.why, '"A lamp" cannot be read as number')
  assert.equal(provenance.rating!.from, 'default')
})

const rows = `<ul><li data-id=1><b>One</b><i>x</i><li><b>Two</b><li data-id=3><b>Three</b><a href=3>go</a></ul><b>outside</b>`

test('each match of "each" is a record, and its fields are looked up inside it', async () => {
  const records = await apply(rows, {
    each: 'li',
    fields: { id: { attr: 'data-id', as: 'integer' }, name: 'b', x: 'i' },
  })
  assert.deepEqual(
    records.map(({ data }) => data),
    [
      { id: 1, name: 'One', x: 'x' },
      { id: null, name: 'Two', x: null },
      { id: 3, name: 'Three', x: null },
    ],
  )
})

test('a record without a required field is left out', async () => {
  const fields = { id: { attr: 'data-id', required: true }, name: 'b' }
  const records = await apply(rows, { each: 'li', fields })
  assert.deepEqual(
    records.map(({ data }) => data.id),
    ['1', '3'],
  )
  assert.deepEqual(await apply(rows, { fields: { price: { css: '.price', required: true } } }), [])
})

test('nested fields make objects, one or many, with a path in the provenance', async () => {
  const { data, provenance } = await first(rows, {
    second: { css: 'li:nth-child(2)', fields: { name: 'b', link: 'a' } },
    all: {
      css: 'li',
      many: true,
      fields: { name: { css: 'b', required: true }, link: { css: 'a', as: 'url', required: true } },
    },
    here: { fields: { outside: 'ul + b' } },
    none: { css: '.none', fields: { name: 'b' } },
  })
  assert.deepEqual(data, {
    second: { name: 'Two', link: null },
    all: [{ name: 'Three', link: 'https://shop.example/a/3' }],
    here: { outside: 'outside' },
    none: null,
  })
  assert.equal(provenance['second.name']!.from, 'css')
  assert.equal(provenance['second.link']!.from, 'none')
})

test('a regex searches the source of the page, or the value that a selector has found', async () => {
  const { data } = await first(`<script>var sku = "AB-12";</script>${rows}`, {
    sku: { regex: 'sku = "([^"]+)"' },
    ids: { regex: 'data-id=(\\d)', many: true, as: 'integer' },
    initial: { css: 'b', regex: '^.' },
    initials: { css: 'b', regex: '^.', many: true },
    none: { css: 'b', regex: 'zzz' },
  })
  assert.deepEqual(data, {
    sku: 'AB-12',
    ids: [1, 3],
    initial: 'O',
    initials: ['O', 'T', 'T', 'o'],
    none: null,
  })
})

test('a regex of a field in a row searches only that row', async () => {
  const records = await apply(rows, { each: 'li', fields: { id: { regex: 'data-id="?(\\d)' } } })
  assert.deepEqual(
    records.map(({ data }) => data.id),
    ['1', null, '3'],
  )
})

test('a regex that hangs fails only its own field, and the record says so', async () => {
  const { data, provenance } = await first(`<p>${'a'.repeat(40)}!</p><h1>x</h1>`, {
    bad: { css: 'p', regex: '^(a+)+$' },
    good: { css: 'h1', regex: '.' },
  })
  assert.deepEqual(data, { bad: null, good: 'x' })
  assert.equal(provenance.bad!.why, 'regex timed out')
})

test('XPath finds elements, attributes and computed values', async () => {
  const { data } = await first(rows, {
    name: '//li[2]/b',
    ids: { xpath: '//li/@data-id', many: true, as: 'integer' },
    count: { xpath: 'count(//li)', as: 'integer' },
    none: { xpath: '//table' },
  })
  assert.deepEqual(data, { name: 'Two', ids: [1, 3], count: 3, none: null })
})

test('XPath can be relative to a row', async () => {
  const records = await apply(rows, { each: '//li[@data-id]', fields: { name: { xpath: './b' } } })
  assert.deepEqual(
    records.map(({ data }) => data.name),
    ['One', 'Three'],
  )
})

const refusedFields: Array<[what: string, fields: unknown, path: string, message: RegExp]> = [
  ['a broken selector', { price: { css: 'a[href' } }, 'fields.price.css', /fields\.price\.css: .*a\[href/],
  ['a broken selector in short form', { price: 'a[href' }, 'fields.price', /a\[href/],
  ['a broken XPath', { price: { xpath: '//div[' } }, 'fields.price.xpath', /\/\/div\[/],
  ['a broken regex', { price: { regex: '(' } }, 'fields.price.regex', /\/\(\//],
  ['a broken JSON-LD path', { price: { jsonld: 'Product..sku' } }, 'fields.price.jsonld', /Product\.\.sku/],
  [
    'a field with two sources',
    { price: { css: 'a', meta: 'b' } },
    'fields.price',
    /css and meta cannot be combined/,
  ],
  ['a field without a source', { price: { many: true } }, 'fields.price', /has no source/],
  ['an attribute without a selector', { price: { attr: 'href' } }, 'fields.price.attr', /needs an element/],
  [
    'an attribute of a meta element',
    { price: { meta: 'a', attr: 'b' } },
    'fields.price.attr',
    /cannot be combined with meta/,
  ],
  [
    'a second attribute',
    { price: { css: 'a::attr(href)', attr: 'b' } },
    'fields.price.attr',
    /already selects/,
  ],
  ['a type on an object', { o: { as: 'text', fields: { a: 'b' } } }, 'fields.o.as', /move it into/],
  ['an object without fields', { o: { css: 'a', fields: {} } }, 'fields.o.fields', /no field/],
  ['a nested broken selector', { o: { fields: { a: { css: '>' } } } }, 'fields.o.fields.a.css', />/],
  ['a reserved name', { _page: 'a' }, 'fields._page', /reserved/],
]
for (const [what, fields, path, message] of refusedFields) {
  test(`${what} is refused, and the error names the path of the rule`, () => {
    assert.throws(
      () => compileRules({ fields } as ExtractionRules),
      (error: Failure) => {
        assert.equal(error.code, 'input.invalid')
        assert.equal(error.details.path, path)
        assert.match(error.message, message)
        return true
      },
    )
  })
}

for (const selector of selectors.invalid) {
  test(`the selector ${JSON.stringify(selector)} is refused before any page is fetched`, () => {
    assert.throws(() => compileRules({ fields: { x: selector } }), Failure)
  })
}

for (const selector of selectors.valid) {
  test(`the selector ${JSON.stringify(selector)} is valid, whether it matches or not`, async () => {
    const { data } = await first(product, { x: selector })
    assert.ok('x' in data)
  })
}

test('a slow selector on a big page fails at most its own field, never the page', async () => {
  const html = '<div>'.repeat(400) + '<p><a>x</a></p>'.repeat(4_000)
  for (const { selector } of selectors.slow) {
    const { data } = await first(html, { x: selector, a: 'a' })
    assert.equal(data.a, 'x')
  }
})

test('a selector with very many nested matches fails its field; used as `each`, it fails the whole page', async () => {
  const html = '<div>'.repeat(20_000)
  const { data, provenance } = await first(html, { all: { css: 'div', many: true } })
  assert.deepEqual(data.all, [])
  assert.match(provenance.all!.why!, /make the selector narrower/)
  await assert.rejects(async () => apply(html, { each: 'div', fields: { a: 'a' } }), /shop\.example.*each: /)
})
