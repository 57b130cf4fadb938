// Tests which selectors must match before a page counts as ready.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requiredSelectors } from './extraction-rules.ts'

test('the required selectors of rules are those of required fields, in browser syntax', () => {
  const fields = { title: { css: 'h1::text', required: true }, price: { css: '.price' }, name: '.name' }
  assert.deepEqual(requiredSelectors({ fields }), ['h1'])
  assert.deepEqual(requiredSelectors({ fields: { link: { css: 'a::attr(href)', required: true } } }), ['a'])
  assert.deepEqual(requiredSelectors({ fields: { sku: { xpath: '//b', required: true } } }), [])
})

test('for rules with one record per row, the selector of the rows is required', () => {
  const fields = { title: { css: 'h2', required: true } }
  assert.deepEqual(requiredSelectors({ each: 'li.item', fields }), ['li.item'])
  assert.deepEqual(requiredSelectors({ each: '//li', fields }), ['h2'])
  assert.deepEqual(requiredSelectors({ each: 'li.item', fields: { title: 'h2' } }), [])
})
