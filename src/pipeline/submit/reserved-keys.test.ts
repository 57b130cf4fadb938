// Tests that the key "__proto__" is found at any depth of the input, and that the error names its path.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRulesFile } from '../../extract/rules/index.ts'
import { protoKeyIn, reservedKey } from '../../lib/json/reserved-keys.ts'
import { parseJobSpec } from './submit-job.ts'

test('the error for a key "__proto__" has its path', () => {
  assert.equal(protoKeyIn(JSON.parse('{"a":[{"b":1}],"constructor":2}')), null)
  const path = protoKeyIn(JSON.parse('{"a":[{"b":1},{"__proto__":{}}]}'))
  assert.equal(reservedKey(path!).details.path, 'a[1].__proto__')
})

test('a rule for a field called __proto__ is refused in a job and in a file', () => {
  const rules = '{"fields":{"title":"h1","__proto__":"h2"}}'
  assert.throws(() => parseJobSpec({ urls: ['https://a.example/'], extract: JSON.parse(rules) }), {
    code: 'input.invalid',
    message: /^extract\.fields\.__proto__: JavaScript reserves this name/,
  })
  for (const name of ['__proto__', 'constructor', 'prototype'])
    assert.throws(() => parseRulesFile(`fields:\n  title: h1\n  ${name}: h2\n`, 'rules.yaml'), {
      code: 'input.invalid',
      message: new RegExp(`^rules\\.yaml:3:3: fields\\.${name}: .*reserves this name`),
    })
})
