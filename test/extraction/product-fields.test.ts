// Tests price, availability, number and brand of products. Each small page has one difficulty.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { product } from '../../src/scraper/builtin/product.ts'
import { scrapedPage } from '../support/scraped-page.ts'

interface Case {
  name: string
  head?: string
  body?: string
  url?: string
  lang?: string
  is: Record<string, unknown>
}

const ld = (value: object) =>
  `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', ...value })}</script>`
const offer = (availability: string, price = 20) => ({
  '@type': 'Offer',
  price,
  priceCurrency: 'EUR',
  availability,
})

const nextData = (product: object) =>
  `<script id="__NEXT_DATA__" type="application/json">${JSON.stringify({
    props: { pageProps: { related: [{ name: 'Oak bench', price: 12.5 }], product } },
  })}</script>`
const shell = '<title>Brass lamp | Harbour shop</title><meta property="og:type" content="product">'

const cases: Case[] = [
  {
    name: 'if scripts render the page, the price comes from the embedded JSON of the scripts',
    head: shell + nextData({ name: 'Brass lamp', price: { value: 89.5, currency: 'EUR' } }),
    is: { name: null, price: 89.5, currency: 'EUR' },
  },
  {
    name: 'a whole number in the embedded JSON is not used as a price, because it may be in cents',
    head: shell + nextData({ name: 'Brass lamp', price: 8950, currency: 'EUR' }),
    body: '<h1>Brass lamp</h1>',
    is: { price: null },
  },
  {
    name: 'a number with a currency sign in the embedded JSON is used as the price',
    head: `${shell}<script>window.__STATE__ = ${JSON.stringify({ item: { title: 'Brass lamp', price: '89 €' } })};</script>`,
    is: { price: 89, currency: 'EUR' },
  },
  {
    name: 'prices of other products in the embedded JSON are ignored',
    head: shell + nextData({ name: 'Steel lamp for the kitchen', price: 5.5 }),
    body: '<h1>Brass lamp</h1>',
    is: { price: null },
  },
  {
    name: 'a product is in stock when one of its variants is',
    head: ld({
      '@type': 'Product',
      name: 'Boots',
      offers: [offer('OutOfStock'), offer('http://schema.org/InStock')],
    }),
    body: '<h1>Boots</h1>',
    is: { availability: 'InStock', price: 20 },
  },
  {
    name: 'price and availability of a product group come from the offers of its variants',
    head: ld({
      '@type': 'ProductGroup',
      name: 'Boots',
      hasVariant: [
        { '@type': 'Product', name: 'Boots 40', sku: 'B-40', offers: offer('SoldOut', 70) },
        { '@type': 'Product', name: 'Boots 41', sku: 'B-41', offers: offer('PreOrder', 75) },
      ],
    }),
    body: '<h1>Boots</h1>',
    is: { availability: 'PreOrder', price: 70 },
  },
  {
    name: 'the offers inside an AggregateOffer are used',
    head: ld({
      '@type': 'Product',
      name: 'Boots',
      offers: {
        '@type': 'AggregateOffer',
        lowPrice: '19,90',
        priceCurrency: 'eur',
        offers: [offer('LimitedAvailability', 24)],
      },
    }),
    body: '<h1>Boots</h1>',
    is: { availability: 'LimitedAvailability', price: 24, currency: 'EUR' },
  },
  {
    name: 'the part number of the manufacturer is not used as the SKU',
    head: ld({ '@type': 'Product', name: 'Lamp', mpn: 'XB-77', gtin13: '4006381333931' }),
    body: '<h1>Lamp</h1>',
    is: { sku: null, gtin: '4006381333931' },
  },
  {
    name: 'a product code that the page shows is used before the SKU in the structured data',
    head: ld({ '@type': 'Product', name: 'Lamp', sku: '238368885', offers: offer('InStock') }),
    body: '<h1>Lamp</h1><p>Product code: 83810610</p>',
    is: { sku: '83810610' },
  },
  {
    name: 'labels in other languages are recognized, and their values in the next table cell',
    lang: 'de',
    body: '<h1>Lampe</h1><p class="price">12,50 €</p><table><tr><td>Bestellnummer</td><td>106606</td></tr><tr><td>Marke</td><td>Lux &amp; Co</td></tr></table>',
    is: { sku: '106606', brand: 'Lux & Co', price: 12.5, currency: 'EUR' },
  },
  {
    name: 'a number in the URL is used as the SKU if the data of the page has it as product id',
    url: 'https://shop.example/lamp-114768289',
    body: '<h1>Lamp</h1><p class="price">$5</p><script>var x = {"productId":"114768289"}</script>',
    is: { sku: '114768289' },
  },
  {
    name: 'a number that is only in the URL is not used as the SKU',
    url: 'https://shop.example/lamp-114768289',
    body: '<h1>Lamp</h1><p class="price">$5</p>',
    is: { sku: null },
  },
  {
    name: 'the old price and the shipping price are not used as the price',
    body: '<h1>Lamp</h1><div class="price-old strike">$30.00</div><div class="price">$24.00</div><div class="shipping price">+ $5.00 shipping</div>',
    is: { price: 24, currency: 'USD' },
  },
  {
    name: 'cents in a superscript are part of the price',
    lang: 'fr',
    body: '<h1>Lampe</h1><div class="price">36<sup>99</sup> €</div>',
    is: { price: 36.99 },
  },
  {
    name: 'the dollar sign of a Canadian shop means Canadian dollars',
    url: 'https://shop.example.ca/lamp',
    body: '<h1>Lamp</h1><div class="price">$24.00</div>',
    is: { price: 24, currency: 'CAD' },
  },
  {
    name: 'prices of related products are ignored',
    body: '<h1>Lamp</h1><p>Ask us for the price.</p><aside class="related"><p class="price">$9</p></aside>',
    is: { price: null },
  },
  {
    name: 'a price of zero is ignored as a placeholder',
    body: '<h1>Lamp</h1><p class="price">0 kr</p><p class="price">199 kr</p>',
    lang: 'nb',
    is: { price: 199, currency: 'NOK' },
  },
  {
    name: 'availability is recognized in the language of the shop',
    lang: 'de',
    body: '<h1>Lampe</h1><p class="price">5 €</p><p class="availability">Derzeit nicht verfügbar.</p>',
    is: { availability: 'OutOfStock' },
  },
  {
    name: 'the text "Image not available" does not affect the availability',
    body: '<h1>Lamp</h1><h4>Image not available</h4><p class="price">$5</p><p>In stock.</p>',
    is: { availability: 'InStock' },
  },
  {
    name: 'a product with a button for the cart is in stock',
    lang: 'sk',
    body: '<h1>Lampa</h1><p class="price">5 €</p><button>Do košíka</button>',
    is: { availability: 'InStock' },
  },
  {
    name: 'a page without any hint of availability gives no availability',
    body: '<h1>Lamp</h1><p class="price">$5</p>',
    is: { availability: null },
  },
  {
    name: 'the product named in the title is used, not a related product that comes before it',
    head: `<title>Lamp - Shop</title>${ld({ '@type': 'Product', name: 'Rug', sku: 'R-1', offers: offer('OutOfStock', 99) })}${ld({ '@type': 'Product', name: 'Lamp', sku: 'L-1', offers: offer('InStock', 20) })}`,
    body: '<h1>Lamp</h1>',
    is: { name: 'Lamp', sku: 'L-1', price: 20, availability: 'InStock' },
  },
]

for (const { name, head = '', body = '', url, lang = 'en', is } of cases) {
  test(name, async () => {
    const html = `<!doctype html><html lang="${lang}"><head>${head}</head><body>${body}</body></html>`
    const record = await scrapedPage(product, html, url)
    const found = Object.fromEntries(Object.keys(is).map(field => [field, record[field]]))
    assert.deepEqual(found, is)
  })
}
