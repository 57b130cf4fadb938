// Tests what the model is asked about pages and prompts, and which answers are accepted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { schemaIn, summaryIn, summaryQuestion } from './page-questions.ts'

test('the prompt has the page between random markers, and a long page is truncated', () => {
  const [first, second] = [summaryQuestion('x'.repeat(100_000)), summaryQuestion('y')]
  assert.ok(first.user.length < 41_000)
  assert.notEqual(first.user.split('\n')[0], second.user.split('\n')[0])
})

test('the summary that the model returns must be text', () => {
  assert.equal(summaryIn('{"summary":" It is. "}'), 'It is.')
  for (const other of ['', 'It is.', '{"summary":3}', '{"summary":" "}', 'null'])
    assert.equal(summaryIn(other), null)
})

test('named fields become a JSON Schema, without fields whose names are invalid', () => {
  const fields = [
    { name: 'title', kind: 'string', description: 'its title', of: [] },
    { name: 'price', kind: 'number', description: '', of: [] },
    {
      name: 'items',
      kind: 'list of objects',
      description: '',
      of: [{ name: 'sku', description: 'its number' }],
    },
    { name: 'no name!', kind: 'string' },
    { name: 'odd', kind: 'date' },
  ]
  assert.deepEqual(schemaIn(JSON.stringify({ fields })), {
    type: 'object',
    properties: {
      title: { type: 'string', description: 'its title' },
      price: { type: 'number' },
      items: {
        type: 'array',
        items: { type: 'object', properties: { sku: { type: 'string', description: 'its number' } } },
      },
      odd: { type: 'string' },
    },
  })
  assert.equal(schemaIn('{"fields":[]}'), null)
  assert.equal(schemaIn('nonsense'), null)
})
