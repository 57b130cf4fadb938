// Tests which pages are too costly to be parsed in a lane.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCostlyPage } from './page-cost.ts'

const filled = (bytes: number, unit: string): Buffer =>
  Buffer.from(unit.repeat(Math.ceil(bytes / unit.length)))
const sentence = 'An ordinary sentence of a long page, which nobody would call dense. '
const article = `<p>${sentence.repeat(3)}<a href="/x">A link</a> and <b>bold</b> words.</p>\n`

test('an ordinary article of almost 1 MB is parsed in the lane', () => {
  assert.equal(isCostlyPage(filled(990_000, article)), false)
})

test('a page of more than 1 MB is costly, whatever it contains', () => {
  assert.equal(isCostlyPage(filled(1_000_100, article)), true)
})

for (const unit of ['<i>', '<tr><td>a', '\\(', '_', '![](', '{},', '[],', '<item/>'])
  test(`a page of 0.5 MB that repeats ${unit} is costly`, () => {
    assert.equal(isCostlyPage(filled(500_000, unit)), true)
  })

test('a small page is never costly', () => {
  assert.equal(isCostlyPage(filled(99_000, '<i>')), false)
})
