// Opens several pages per task: all shelves of a department. Emits one record for each product.
import * as z from 'zod'
import { defineScraper } from '../../../src/index.ts'

export default defineScraper({
  id: 'shelf',
  version: '1',
  name: 'Shelf',
  description: 'The products of a department of the demo shop, with their prices.',
  input: z.object({
    department: z.string().regex(/^[a-z-]+$/, 'the name in the address, like "lamps"'),
    pages: z.coerce.number().int().min(1).max(20).default(2),
    base_url: z.url().default('http://127.0.0.1:8080'),
  }),
  output: z.object({
    name: z.string(),
    url: z.string(),
    amount: z.number().nullable(),
    currency: z.string().nullable(),
  }),
  policy: { host: { rate: 5 } },

  async run({ input, open, emit, normalize }) {
    let next: string | null = `${input.base_url}/categories/${input.department}`
    for (let number = 1; next !== null && number <= input.pages; number++) {
      const page = await open(next)
      page.expect('ul.products .card')
      for (const card of page.each('ul.products .card')) {
        const price = normalize.money(card.text('.price'))
        emit({
          name: card.text('.name') ?? '',
          url: new URL(card.attr('a', 'href') ?? '', page.finalUrl).href,
          amount: price?.amount ?? null,
          currency: price?.currency ?? null,
        })
      }
      next = page.attr('a[rel=next]', 'href')
    }
  },
})
