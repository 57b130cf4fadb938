// Tests the products of the shop: they are always the same, are found by their slug, and have prices in the currency of their country.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { catalogueOf, categories } from './catalogue.ts'
import { writePrice } from './money.ts'

test('a product is always the same and can be found by its slug', () => {
  const catalogue = catalogueOf(50)
  for (let number = 1; number <= 50; number++) {
    const product = catalogue.product(number)
    assert.deepEqual(catalogue.bySlug(product.slug), product)
    assert.deepEqual(catalogueOf(200).product(number), product)
  }
})

test('a slug with the wrong name or a number out of range is not a product', () => {
  const catalogue = catalogueOf(10)
  for (const slug of ['nothing-3', 'nothing', catalogueOf(11).product(11).slug, '-0', '']) {
    assert.equal(catalogue.bySlug(slug), undefined)
  }
})

for (const size of [0, 1, 3, 8, 9, 200]) {
  test(`in a shop of ${size} products, each product is in one department, and no product is related to itself`, () => {
    const catalogue = catalogueOf(size)
    const all = categories.flatMap(category => catalogue.inCategory(category).page(0, 1_000))
    assert.deepEqual(
      all.map(({ number }) => number).sort((a, b) => a - b),
      Array.from({ length: size }, (_, index) => index + 1),
    )
    for (const product of all)
      assert.ok(catalogue.related(product).every(other => other.number !== product.number))
  })
}

test('prices are formatted as in their countries', () => {
  assert.equal(writePrice(129_900, 'EUR'), '€ 1.299,00')
  assert.equal(writePrice(129_905, 'USD'), '$1,299.05')
  assert.equal(writePrice(123_456_789, 'GBP'), '£1,234,567.89')
  assert.equal(writePrice(99, 'USD'), '$0.99')
})

test('the shop has prices of every style, sales, and sold-out products', () => {
  const products = Array.from({ length: 200 }, (_, index) => catalogueOf(200).product(index + 1))
  assert.deepEqual(new Set(products.map(({ currency }) => currency)), new Set(['EUR', 'USD', 'GBP']))
  assert.ok(
    products.some(({ cents }) => cents >= 100_000) && products.some(({ wasCents }) => wasCents !== null),
  )
  assert.ok(products.some(({ inStock }) => !inStock))
})
