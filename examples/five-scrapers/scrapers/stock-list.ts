// Reads a JSON API instead of pages, and validates the JSON before use.
import * as z from 'zod'
import { defineScraper } from '../../../src/index.ts'

/** The fields that we use. If they change, the site has changed. */
const answer = z.object({
  items: z.array(z.object({ sku: z.string(), name: z.string(), price: z.string() })),
})

export default defineScraper({
  id: 'stock-list',
  version: '1',
  name: 'Stock list',
  description: 'A page of the product list that the demo shop serves to its own script.',
  input: z.object({
    page: z.coerce.number().int().min(1).default(1),
    base_url: z.url().default('http://127.0.0.1:8080'),
  }),
  output: z.object({ sku: z.string(), name: z.string(), amount: z.number().nullable() }),
  policy: { host: { rate: 5 } },

  async run({ input, open, emit, normalize }) {
    const page = await open(`${input.base_url}/api/products?page=${input.page}`)
    const { data } = answer.safeParse(page.json())
    const { items } = page.require({ items: data?.items })
    for (const { sku, name, price } of items)
      emit({ sku, name, amount: normalize.money(price)?.amount ?? null })
  },

  validate: records => (records.length === 0 ? 'the list has no such page' : null),
})
