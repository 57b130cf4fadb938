// Tests which text of a record the search index contains.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Json } from '../model/record.ts'
import { textOfRecord } from './search-text.ts'

function valuesOf(value: Json): string[] {
  if (typeof value === 'string') return [value]
  if (value === null) return []
  return typeof value === 'object' ? Object.values(value).flatMap(valuesOf) : [String(value)]
}

test('the search text of a record has all its values in their order, and no keys', () => {
  const record = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }))
  fc.assert(
    fc.property(record, value => {
      const json = JSON.stringify(value)
      const kept = JSON.parse(json) as Json
      assert.equal(
        textOfRecord(json),
        valuesOf(kept)
          .map(one => `${one}\n`)
          .join(''),
      )
    }),
  )
})

test('the search text of a truncated record has the values before the cut', () => {
  const json = JSON.stringify(['A "quoted" \u0001 \\ name', 1.5, true, null, 'last'])
  const whole = textOfRecord(json)
  assert.equal(whole, 'A "quoted" \u0001 \\ name\n1.5\ntrue\nlast\n')
  for (let length = 0; length < json.length; length++)
    assert.ok(whole.startsWith(textOfRecord(json.slice(0, length)).trimEnd()), json.slice(0, length))
})

test('the search text of a record has a limit, and text beyond it is left out', () => {
  const text = textOfRecord(JSON.stringify(Array.from({ length: 100_000 }, (_, index) => `value ${index}`)))
  assert.equal(text.length, 200_000)
})
