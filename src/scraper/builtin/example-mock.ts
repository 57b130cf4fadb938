// example-mock: makes a record from the input alone, to try jobs without a site.
import * as z from 'zod'
import { defineScraper } from '../define-scraper.ts'

export const exampleMock = defineScraper({
  id: 'example-mock',
  version: '1',
  name: 'Example: mock',
  description: 'Returns its input without a request. Use it to try out jobs.',
  input: z.object({ test_param: z.coerce.string().default('') }),
  output: z.object({ test_param: z.string().nullable(), length: z.number().int().nullable() }),
  run({ input, emit }) {
    emit({ test_param: input.test_param, length: input.test_param.length })
  },
})
