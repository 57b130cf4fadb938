// Fills in and sends a search form like a browser. Emits the first result, or fails with a clear message.
import * as z from 'zod'
import { defineScraper } from '../../../src/index.ts'

export default defineScraper({
  id: 'find-product',
  version: '1',
  name: 'Find a product',
  description: 'Searches the demo shop, and gives the first result.',
  input: z.object({ words: z.string().min(1), base_url: z.url().default('http://127.0.0.1:8080') }),
  output: z.object({ hits: z.number().int(), name: z.string().nullable(), price: z.string().nullable() }),
  policy: { host: { rate: 5 } },

  async run({ input, open, submit, emit, normalize }) {
    const search = await open(`${input.base_url}/search`)
    const page = await submit(search.form('form[role=search]'), { q: input.words })
    const { hits } = page.require({ hits: normalize.integer(page.text('.hits')) })
    emit({ hits, name: page.text('.card .name'), price: page.text('.card .price') })
  },
})
