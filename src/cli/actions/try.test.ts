// Tests how `kscrape try` prints records.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textsOf } from './try.ts'

type Tried = Parameters<typeof textsOf>[0]
const triedOf = (fields: object) =>
  ({ maker: 'rules', records: [], whyNothing: null, ...fields }) as unknown as Tried

test('try shows each record with its data, the source of each field and its warnings', () => {
  const record = {
    data: { title: 'Tea' },
    provenance: { title: { from: 'css', by: 'h1' } },
    warnings: [{ code: 'some.warning', message: 'look' }],
  }
  const texts = textsOf(triedOf({ records: [record, { data: {}, provenance: {} }] }))
  assert.equal(texts.length, 2)
  assert.match(texts[0]!, /^rules, record 1 of 2:\n/)
  assert.match(texts[0]!, /"title": "Tea"/)
  assert.match(texts[0]!, /^ {2}title {2}.*h1/m)
  assert.match(texts[0]!, /look \(some\.warning\)/)
  assert.doesNotMatch(texts[1]!, /warnings/)
})

test('if there is no record, try shows the reason, but not the hint to run try', () => {
  const [text, ...rest] = textsOf(
    triedOf({ whyNothing: 'price is missing; kscrape try https://a.example/ shows more' }),
  )
  assert.equal(text, 'rules: price is missing')
  assert.deepEqual(rest, [])
})
