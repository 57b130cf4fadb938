// Tests the description of a scraper that `scrapers show` prints.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import type { Entry } from './catalogue.ts'
import { describeScraper } from './describe.ts'

const entryOf = (scraper: object, file: string | null = null) =>
  ({
    file,
    scraper: { id: 'shop', version: '1.0.0', name: 'Shop', description: '', ...scraper },
  }) as unknown as Entry

test('the description of a scraper says whether it is code, rules or the default record', () => {
  assert.equal(describeScraper(entryOf({ run: () => {}, rules: { fields: {} } })).how, 'code')
  assert.equal(describeScraper(entryOf({ rules: { fields: { name: 'h1' } } })).how, 'rules')
  assert.equal(describeScraper(entryOf({})).how, 'default record')
})

test('rules are shown as YAML, schemas with their library, and missing parts as null', () => {
  const bare = describeScraper(entryOf({}))
  assert.deepEqual(
    [bare.from, bare.input, bare.output, bare.rules, bare.policy],
    ['built in', null, null, null, {}],
  )
  const output = z.object({ price: z.number() })
  const full = describeScraper(
    entryOf({ output, rules: { fields: { name: 'h1' } }, policy: { robots: 'obey' } }, 'shop.ts'),
  )
  assert.equal(full.from, 'shop.ts')
  assert.match(full.rules!, /^fields:\n {2}name: h1/)
  assert.equal(full.output?.library, 'zod')
  assert.match(JSON.stringify(full.output?.shape), /"price":\{"type":"number"/)
  assert.deepEqual(full.policy, { robots: 'obey' })
})
