// Tests how flags describe rules on the command line.
import assert from 'node:assert/strict'
import test from 'node:test'
import { inlineRules, parseField } from './inline-fields.ts'

test('a field is a name and a selector, with a type or as a list', () => {
  assert.deepEqual(parseField('name=h1'), { name: 'name', rule: 'h1' })
  assert.deepEqual(parseField('price=.price:money'), { name: 'price', rule: { css: '.price', as: 'money' } })
  assert.deepEqual(parseField('tags[]=.tag'), { name: 'tags', rule: { css: '.tag', many: true } })
  assert.deepEqual(parseField('next=//a[@rel="next"]/@href:url').rule, {
    xpath: '//a[@rel="next"]/@href',
    as: 'url',
  })
  assert.deepEqual(parseField('a=input[value="x=y"]').rule, 'input[value="x=y"]')
})

test('pseudo-classes and our own pseudo-elements stay part of the selector', () => {
  for (const selector of ['li:first-child', 'a::attr(href)', 'h1::text', 'a:link', 'p:empty'])
    assert.equal(parseField(`x=${selector}`).rule, selector)
})

test('the error for a misspelt type or a missing selector shows the right syntax', () => {
  assert.throws(() => parseField('price=.price:mony'), /"mony" is not a type.*money/)
  assert.throws(() => parseField('price'), /is not like name=h1/)
  assert.throws(() => parseField('price='), /is not like name=h1/)
})

test('--field flags become rules for the page, or for each element', () => {
  const field = [parseField('name=h2')]
  assert.deepEqual(inlineRules({ field, each: '.card' }), { fields: { name: 'h2' }, each: '.card' })
  assert.equal(inlineRules({}), undefined)
  assert.throws(() => inlineRules({ field, extract: 'rules.yaml' }), /cannot be combined/)
  assert.throws(() => inlineRules({ each: '.card' }), /--each needs --field/)
})
