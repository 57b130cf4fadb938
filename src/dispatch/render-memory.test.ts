// Tests which URL patterns are known to need a browser, and how this knowledge is corrected.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RenderFinding, RenderMemory } from './render-memory.ts'

const pattern = 'shop.example/app/*'

function taught(...findings: RenderFinding[]): RenderMemory {
  const memory = new RenderMemory()
  for (const finding of findings) memory.learn(pattern, finding)
  return memory
}

test('a page whose URL pattern is unknown is first fetched without a browser', () => {
  assert.equal(new RenderMemory().adviceFor(pattern), 'look')
  assert.equal(taught('needed').adviceFor(pattern), 'look')
})

test('if two pages with one URL pattern needed a browser, further pages with this pattern go to the browser directly', () => {
  const memory = taught('needed', 'needed', 'helped', 'helped')
  assert.equal(memory.adviceFor(pattern), 'browser')
  assert.equal(memory.adviceFor('shop.example/blog/*'), 'look')
})

test('if the page without a browser is complete, pages with its URL pattern use HTTP again', () => {
  assert.equal(taught('needed', 'needed', 'not-needed').adviceFor(pattern), 'look')
})

test('if a browser adds nothing to a page, the page without a browser is used', () => {
  assert.equal(
    taught('needed', 'in-vain', 'needed', 'in-vain', 'needed', 'in-vain').adviceFor(pattern),
    'plain',
  )
  assert.equal(taught('in-vain', 'in-vain', 'helped', 'in-vain').adviceFor(pattern), 'look')
})

test('known URL patterns are checked again from time to time', () => {
  for (const memory of [taught('needed', 'needed'), taught('in-vain', 'in-vain', 'in-vain')]) {
    const advice = Array.from({ length: 100 }, () => memory.adviceFor(pattern))
    assert.equal(advice.filter(one => one === 'look').length, 5)
  }
})
