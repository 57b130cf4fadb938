// Looks up products by name and prints their prices: your own code, with types from the input to the record.
import * as z from 'zod'
import { crawl, defineScraper } from '../../src/index.ts'

const shop = process.argv[2] ?? 'http://127.0.0.1:8080/'

const prices = defineScraper({
  id: 'prices',
  input: z.object({ product: z.string().regex(/^[a-z0-9-]+$/) }),
  output: z.object({
    name: z.string(),
    amount: z.number().positive(),
    currency: z.string().nullable(),
    inStock: z.boolean(),
  }),
  policy: { host: { rate: 20 } },

  async run({ input, open, emit, normalize }) {
    const page = await open(new URL(`/products/${input.product}`, shop).href)
    page.expect('article.product h1') // if the shop changed its pages, the task fails instead of emitting wrong data
    const { name, price, stock } = page.require({
      name: page.text('h1'),
      price: normalize.money(page.text('.price')),
      stock: page.text('.stock'),
    })
    emit({ name, amount: price.amount, currency: price.currency, inStock: /in stock/i.test(stock) })
  },
})

const products = ['umber-floor-lamp-1', 'meadow-side-table-3', 'juniper-city-bike-5']

const records = crawl({
  scraper: prices,
  items: products.map(product => ({ itemId: product, input: { product } })),
  settings: { allowPrivate: [new URL(shop).host] },
})

let most = 0
for await (const { name, amount, currency, inStock, _page } of records) {
  console.log(
    `${_page.item_id}: ${name}, ${amount.toFixed(2)} ${currency ?? ''}${inStock ? '' : ' (not in stock)'}`,
  )
  most = Math.max(most, amount)
}
console.log(`the dearest of ${products.length} costs ${most.toFixed(2)}`)
