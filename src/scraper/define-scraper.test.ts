// defineScraper: what is refused at once, and the types that flow from the schemas (checked by tsc).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as v from 'valibot'
import * as z from 'zod'
import { crawl } from '../index.ts'
import { defineScraper } from './define-scraper.ts'
import { Registry } from './registry.ts'

/** Compiles only when both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const sameType = <_Claim extends true>(): void => {}

test('types of input, emit and validate are those of the schemas, with zod', () => {
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

test('types of input and emit are those of the schemas, with valibot', () => {
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

test('a scraper needs an id that can be a file name, and either code or rules', () => {
  const run = () => {}
  assert.throws(() => defineScraper({ id: 'a b', run }), /scraper id "a b" may hold letters/)
  assert.throws(() => defineScraper({ id: 'both', run, rules: { fields: {} } }), /either `run` or `rules`/)
  assert.throws(() => defineScraper({ id: 'neither' }), /either `run` or `rules`/)
})

test('a mistake in the policy is found when the scraper is defined', () => {
  const policy = { retries: { atempts: 2 } } as never
  assert.throws(
    () => defineScraper({ id: 'hasty', policy, run: () => {} }),
    /scraper hasty can't be used: policy\.retries\.atempts: unknown/,
  )
})

test('the registry knows the built-in scrapers, and the nearest name for an unknown one', () => {
  const registry = new Registry()
  assert.equal(registry.list()[0]?.id, 'page')
  assert.equal(registry.get('job_posting').name, 'Job posting')
  assert.throws(
    () => registry.get('job-posting'),
    /no scraper is called "job-posting" \(did you mean "job_posting"\?\)/,
  )
  assert.throws(() => registry.get('zzz'), /no scraper is called "zzz"/)
})

test('two scrapers of one name are refused, also when one is built in', () => {
  const mine = defineScraper({ id: 'article', run: () => {} })
  assert.throws(() => new Registry([mine]), /two scrapers are called "article"/)
})
