// Tests that the heap returns the smallest item first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Heap } from './heap.ts'

interface Item {
  key: number
  heapIndex: number
}
const item = (key: number): Item => ({ key, heapIndex: -1 })
const heapOf = (items: Item[]) => {
  const heap = new Heap<Item>((a, b) => a.key < b.key)
  for (const one of items) heap.push(one)
  return heap
}

test('a heap returns items in order, also after some were moved or removed', () => {
  const change = fc.tuple(fc.nat({ max: 49 }), fc.option(fc.nat({ max: 100 })))
  fc.assert(
    fc.property(
      fc.array(fc.nat({ max: 100 }), { minLength: 1, maxLength: 50 }),
      fc.array(change),
      (keys, changes) => {
        const items = keys.map(item)
        const heap = heapOf(items)
        for (const [at, key] of changes) moveOrRemove(heap, items[at % items.length]!, key)
        const expected = items.filter(one => one.heapIndex >= 0).map(one => one.key)
        assert.equal(heap.size, expected.length)
        assert.deepEqual(
          drain(heap),
          expected.sort((a, b) => a - b),
        )
      },
    ),
  )
})

function moveOrRemove(heap: Heap<Item>, one: Item, key: number | null): void {
  if (one.heapIndex < 0) return
  one.key = key ?? one.key
  if (key === null) heap.remove(one)
  else heap.update(one)
}

function drain(heap: Heap<Item>): number[] {
  const keys: number[] = []
  for (let next = heap.pop(); next; next = heap.pop()) keys.push(next.key)
  return keys
}

test('an empty heap returns undefined', () => {
  const heap = heapOf([])
  assert.equal(heap.peek(), undefined)
  assert.equal(heap.pop(), undefined)
})
