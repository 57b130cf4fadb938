// Tests which ids of items are valid, and that each id is unique.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { itemIdProblem, refuseItemIds } from './item-ids.ts'

test('an item id that is safe in a path is accepted', () => {
  for (const itemId of ['item-1', 'A', '0', 'a.b_c-d', 'task-', 'mytask-5'])
    assert.equal(itemIdProblem(itemId, 'items'), null)
})

test('an item id that could leave its folder, or is empty, is refused', () => {
  for (const itemId of ['', '..', 'a..b', '../up', 'a/b', '.hidden', 'ä', 'a b', 'x'.repeat(129)])
    assert.match(itemIdProblem(itemId, 'segments') ?? '', /item_id/)
})

test('reserved names are refused as item ids if each item gets a folder with its id as name', () => {
  assert.match(itemIdProblem('task-5', 'items') ?? '', /choose another/)
  assert.match(
    itemIdProblem('Task-5', 'items') ?? '',
    /choose another/,
    'some file systems ignore letter case',
  )
  assert.equal(itemIdProblem('task-5', 'segments'), null)
})

test('two items with one id are refused, with the positions of both', () => {
  const items = [{ itemId: 'a', input: 1 }, { input: 2 }, { itemId: 'a', input: 3 }]
  assert.throws(() => refuseItemIds(items, 'segments'), {
    code: 'input.invalid',
    message: 'items[2]: item_id "a" is already used by items[0]',
    details: { path: 'items[2].item_id' },
  })
})

test('items without an id may have equal inputs', () => {
  refuseItemIds([{ input: 1 }, { input: 1 }, { itemId: 'a', input: 1 }], 'items')
})
