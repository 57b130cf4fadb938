// Tests the checks of certification: which scrapers pass, and the message for each scraper that does not.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as v from 'valibot'
import * as z from 'zod'
import type { StandardSchema } from '../../model/standard-schema.ts'
import { defineScraper, type Scraper } from '../../scraper/define-scraper.ts'
import { checkPolicy } from './check-policy.ts'
import { checkNulls, checkSchema } from './check-schema.ts'
import { type GoldenCase, madePage } from './golden-cases.ts'
import { answeringAll } from './replay.ts'

const url = 'https://shop.example/1'
let folder: string
let golden: GoldenCase[]

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-checks-'))
  await writeFile(join(folder, 'record.json'), '{ "title": "A thing", "price": 1 }')
  const page = madePage(url, Buffer.from('<h1>A thing</h1><b>1</b>'), { 'content-type': 'text/html' })
  golden = [{ name: 'x/1', folder, start: { url }, isShipped: false, open: () => answeringAll(page, 'x/1') }]
})
after(() => rm(folder, { recursive: true }))

const withOutput = (output: StandardSchema): Scraper =>
  defineScraper({ id: 'x', output, run: () => {} }) as unknown as Scraper

test('a schema that refuses or drops unknown fields is strict, in every library', () => {
  for (const output of [
    z.strictObject({ title: z.string(), price: z.number() }),
    z.object({ title: z.string(), price: z.number() }),
    v.strictObject({ title: v.string(), price: v.number() }),
  ])
    assert.equal(checkSchema(withOutput(output), golden).passed, true)
})

test('a schema that accepts anything is not strict', () => {
  assert.match(checkSchema(withOutput(z.any()), golden).note, /accepts values that are not records/)
  assert.match(checkSchema(withOutput(z.looseObject({ title: z.string() })), golden).note, /unknown fields/)
  assert.match(
    checkSchema(defineScraper({ id: 'x', run: () => {} }) as Scraper, golden).note,
    /no output schema/,
  )
})

test('a crash on an empty page is a problem; a clear refusal or a null is not', async () => {
  const output = z.object({ title: z.string(), price: z.number().nullable() })
  const crashing = defineScraper({
    id: 'x',
    output,
    async run({ open, emit }) {
      const page = await open()
      emit({ title: page.text('h1')!.toUpperCase(), price: 1 })
    },
  })
  assert.match((await checkNulls(crashing as Scraper, golden)).note, /empty page makes it fail.*null/)
  const refusing = defineScraper({
    id: 'x',
    output,
    async run({ open, emit }) {
      const page = await open()
      page.expect('h1')
      emit({ title: page.text('h1')!, price: null })
    },
  })
  assert.equal((await checkNulls(refusing as Scraper, golden)).passed, true)
})

test('a field that an empty page cannot fill must be nullable', async () => {
  const scraper = defineScraper({
    id: 'x',
    output: z.object({ title: z.string(), price: z.number() }),
    async run({ open, emit }) {
      const page = await open()
      emit({ title: page.text('h1') as string, price: 1 })
    },
  })
  const { passed, note } = await checkNulls(scraper as Scraper, golden)
  assert.equal(passed, false)
  assert.match(note, /title/)
})

test('the check accepts a polite policy, and reports a high rate, ignored robots.txt and typos', () => {
  const noteFor = (policy: object) => checkPolicy({ ...withOutput(z.object({})), policy })
  assert.equal(noteFor({}).passed, true)
  assert.equal(noteFor({ host: { rate: 10 } }).passed, true)
  assert.match(noteFor({ host: { rate: 11 } }).note, /host\.rate/)
  assert.match(noteFor({ host: { rate: 'unlimited' } }).note, /host\.rate/)
  assert.match(noteFor({ robots: 'ignore' }).note, /robots\.txt/)
  assert.match(noteFor({ hosts: {} }).note, /hosts/)
})
