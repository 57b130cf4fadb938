// Tests counting the values of a JSON text without building them.
import assert from 'node:assert/strict'
import test from 'node:test'
import { jsonExcess } from './json-scan.ts'

const limits = { values: 10, depth: 3 }

test('values in JSON are counted, and characters inside strings are not', () => {
  assert.equal(jsonExcess(String.raw`{"a[,{\"":"[[[[,,,,,,,,,,,,,\\","b":1}`, limits), null)
  assert.match(jsonExcess('[1,2,3,4,5,6,7,8,9,10]', limits)?.words ?? '', /more than 10 values/)
  assert.match(jsonExcess('[{},{},{},{},{},{}]', limits)?.words ?? '', /more than 10 values/)
})

test('the depth of JSON counts open brackets only', () => {
  assert.equal(jsonExcess('[[],[],[[]]]', limits), null)
  assert.match(jsonExcess('[[[[1]]]]', limits)?.words ?? '', /deeper than 3 levels/)
})

test('an unterminated string ends the scan of JSON', () => {
  assert.equal(jsonExcess(`["${'\\"'.repeat(100_000)}`, limits), null)
})

test('the number of keys in one object is limited, the number of entries in a list is not', () => {
  const few = { values: 100, depth: 3, keys: 2 }
  assert.match(jsonExcess('[{"a":1,"b":2},{"a":1,"b":2,"c":3}]', few)?.words ?? '', /more than 2 keys/)
  assert.equal(jsonExcess('[{"a":[1,2,3,4],"b":2},{"a":1,"b":2}]', few), null)
})
