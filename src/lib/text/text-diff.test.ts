// Tests that a diff applied to one text gives the other text.
import assert from 'node:assert/strict'
import test from 'node:test'
import * as fc from 'fast-check'
import { diffLines, unifiedDiff } from './text-diff.ts'

const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })

test('the diff without its additions is the old text, and without its deletions the new one', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const changes = diffLines(before, after)
      const without = (not: string) => changes.filter(({ is }) => is !== not).map(({ text }) => text)
      assert.deepEqual([without('added'), without('removed')], [before, after])
    }),
  )
})

test('the diff is as short as possible', () => {
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const edits = diffLines(before, after).filter(({ is }) => is !== 'same').length
      assert.equal(edits, before.length + after.length - 2 * longestCommon(before, after))
    }),
  )
})

function longestCommon(before: string[], after: string[]): number {
  const table = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0))
  for (let x = 1; x <= before.length; x += 1)
    for (let y = 1; y <= after.length; y += 1)
      table[x]![y] =
        before[x - 1] === after[y - 1]
          ? table[x - 1]![y - 1]! + 1
          : Math.max(table[x - 1]![y]!, table[x]![y - 1]!)
  return table[before.length]![after.length]!
}

test('a change is shown with the lines around it, as in diff -u', () => {
  const before = ['1', '2', '3', '4', '5', 'old', '7', '8', '9'].join('\n')
  const told = unifiedDiff(before, before.replace('old', 'new'))
  assert.equal(told, '--- before\n+++ after\n@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-old\n+new\n 7\n 8\n 9')
  assert.equal(unifiedDiff(before, before), '')
})

test('texts without common lines are compared at once, however long', () => {
  const many = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}`)
  assert.equal(diffLines(many('old'), many('new')).length, 40_000)
})
