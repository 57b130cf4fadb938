// Checks the types that users of defineScraper get from their schemas. tsc does the check; at run time the file only has to load.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as v from 'valibot'
import * as z from 'zod'
import { crawl, defineScraper } from '../../src/index.ts'

/** Compiles only if both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const sameType = <_Claim extends true>(): void => {}

test('types of input, emit and validate come from the schemas, with zod', () => {
  const scraper = defineScraper({
    id: 'typed',
    input: z.object({ code: z.string(), year: z.coerce.number().default(2026) }),
    output: z.object({ price: z.number().nullable(), note: z.string().default('') }),
    run({ input, emit, open }) {
      sameType<Same<typeof input, { code: string; year: number }>>()
      sameType<Same<Parameters<typeof emit>[0], { price: number | null; note?: string | undefined }>>()
      sameType<Same<Parameters<typeof open>[0], string | undefined>>()
    },
    validate(records) {
      sameType<Same<typeof records, Array<{ price: number | null; note: string }>>>()
    },
  })
  type Yielded = ReturnType<typeof crawled> extends AsyncIterable<infer Record> ? Record : never
  const crawled = () => crawl({ urls: ['https://a.example/'], scraper })
  sameType<Same<Yielded['price'], number | null>>()
  sameType<Same<Yielded['note'], string>>()
  assert.equal(scraper.id, 'typed')
})

test('types of input and emit come from the schemas, with valibot', () => {
  const scraper = defineScraper({
    id: 'typed-by-valibot',
    input: v.object({ code: v.string() }),
    output: v.object({ price: v.nullable(v.number()) }),
    run({ input, emit }) {
      sameType<Same<typeof input, { code: string }>>()
      sameType<Same<Parameters<typeof emit>[0], { price: number | null }>>()
    },
  })
  assert.equal(scraper.version, '1')
})
