// What is learned about pages that need a browser, and how it is reset.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RenderFinding, RenderMemory } from './render-memory.ts'

const pattern = 'shop.example/app/*'

function taught(...findings: RenderFinding[]): RenderMemory {
  const memory = new RenderMemory()
  for (const finding of findings) memory.learn(pattern, finding)
  return memory
}

test('a page of an unknown pattern is fetched without a browser first', () => {
  assert.equal(new RenderMemory().adviceFor(pattern), 'look')
  assert.equal(taught('needed').adviceFor(pattern), 'look')
})

test('after two pages that needed it, similar pages go directly to the browser, and others do not', () => {
  const memory = taught('needed', 'needed', 'helped', 'helped')
  assert.equal(memory.adviceFor(pattern), 'browser')
  assert.equal(memory.adviceFor('shop.example/blog/*'), 'look')
})

test('if a plain page is complete, pages of its pattern use HTTP again', () => {
  assert.equal(taught('needed', 'needed', 'not-needed').adviceFor(pattern), 'look')
})

test('if rendering adds nothing to a page, the plain page is used', () => {
  assert.equal(
    taught('needed', 'in-vain', 'needed', 'in-vain', 'needed', 'in-vain').adviceFor(pattern),
    'plain',
  )
  assert.equal(taught('in-vain', 'in-vain', 'helped', 'in-vain').adviceFor(pattern), 'look')
})

test('known patterns are checked again from time to time', () => {
  for (const memory of [taught('needed', 'needed'), taught('in-vain', 'in-vain', 'in-vain')]) {
    const advice = Array.from({ length: 100 }, () => memory.adviceFor(pattern))
    assert.equal(advice.filter(one => one === 'look').length, 5)
  }
})
