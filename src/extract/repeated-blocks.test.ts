// Tests the detection of blocks that repeat side by side.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDocument } from './document/index.ts'
import { repeatedBlocks } from './repeated-blocks.ts'

const blocksOf = (html: string): number => repeatedBlocks(parseDocument(html)).length

test('siblings with several parts or with a link are repeated blocks; siblings with only a bold word are not', () => {
  assert.equal(blocksOf('<ul><li><b>a</b><i>b</i><li><b>a</b><i>b</i><li><b>a</b><i>b</i></ul>'), 3)
  assert.equal(blocksOf('<ul><li><a href=x>a</a><li><a href=x>b</a><li><a href=x>c</a></ul>'), 3)
  assert.equal(blocksOf('<ul><li><b>a</b><li><b>b</b><li><b>c</b></ul><a href=x>d</a>'), 0)
})

test('many siblings without parts are checked once, not repeatedly', () => {
  assert.equal(blocksOf('<p>'.repeat(200_000)), 0)
})
