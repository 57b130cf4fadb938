// Tests how the fields of a JSON Schema are filled without a model: only the main entity of the page supplies values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { schemaFields } from './schema-fields.ts'

const url = 'https://shop.example/oars/ash'
const text = { type: 'string' }
const object = (properties: Record<string, object>) => ({ type: 'object', properties })
const ld = (data: object) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`

const crumbs = ld({
  '@type': 'BreadcrumbList',
  itemListElement: [{ '@type': 'ListItem', position: 1, name: 'Home', item: '/' }],
})

test('neither a breadcrumb, nor the site, nor the manufacturer supplies the name of a product', () => {
  const site = ld([
    { '@type': 'WebSite', name: 'Shop' },
    { '@type': 'Organization', name: 'Tarn Ltd' },
  ])
  const product = ld({ '@type': 'Product', name: 'Ash oar', brand: { '@type': 'Brand', name: 'Tarn' } })
  const schema = object({ name: text, brand: text })
  assert.deepEqual(schemaFields(crumbs + site + product, url, schema), { name: 'Ash oar', brand: 'Tarn' })
  assert.equal(schemaFields(`${crumbs}<title>Ash oar</title>`, url, object({ name: text })).name, 'Ash oar')
  const microdata =
    '<ol itemscope itemtype="https://schema.org/BreadcrumbList"><li itemprop=itemListElement itemscope itemtype="https://schema.org/ListItem">' +
    '<b itemprop=name>Home</b></ol><title>Ash oar</title>'
  assert.equal(schemaFields(microdata, url, object({ name: text })).name, 'Ash oar')
})

test('nested objects supply their own fields, and unknown fields are null', () => {
  const product = ld({
    '@type': 'Product',
    name: 'Ash oar',
    offers: { '@type': 'Offer', price: '89.50', priceCurrency: 'EUR' },
  })
  const other = ld({ '@type': 'Offer', price: '5', weight: '2 kg' })
  const schema = object({ price: { type: 'number' }, weight: text, description: text })
  assert.deepEqual(schemaFields(other + product, url, schema), {
    price: 89.5,
    weight: null,
    description: null,
  })
})

const list = {
  type: 'array',
  items: object({ name: text, price: { type: 'number' }, url: { ...text, format: 'uri' } }),
}

test('a list of objects is found in structured data that describes the objects one by one', () => {
  const things = ['Ash', 'Oak', 'Elm'].map((name, index) => ({
    '@type': 'Product',
    name,
    url: `/oars/${index}`,
    offers: { price: 10 + index },
  }))
  assert.deepEqual(schemaFields(crumbs + ld(things), url, object({ products: list })).products, [
    { name: 'Ash', price: 10, url: 'https://shop.example/oars/0' },
    { name: 'Oak', price: 11, url: 'https://shop.example/oars/1' },
    { name: 'Elm', price: 12, url: 'https://shop.example/oars/2' },
  ])
})

test('a list of objects is found in repeated blocks of the markup, not in menus', () => {
  const menu = `<nav><ul>${'<li><a href=/a><b>A long entry of the menu of this site</b></a>'.repeat(9)}</ul></nav>`
  const card = (name: string, price: string) =>
    `<div class="card sale"><h3><a href="/oars/${name}">${name}</a></h3><span class="card-price">€ ${price}</span></div>`
  const page = `${menu}<main><h1>Oars</h1><div>${card('ash', '10.50')}${card('oak', '11.00')}${card('elm', '12.00')}</div></main>`
  assert.deepEqual(schemaFields(page, url, object({ oars: list })).oars, [
    { name: 'ash', price: 10.5, url: 'https://shop.example/oars/ash' },
    { name: 'oak', price: 11, url: 'https://shop.example/oars/oak' },
    { name: 'elm', price: 12, url: 'https://shop.example/oars/elm' },
  ])
  assert.deepEqual(schemaFields('<p>Nothing</p>', url, object({ oars: list })).oars, [])
})
