// Tests of reading lists page by page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { entriesById, listEntries, listPages } from './list-pages.ts'

const numbers = [2, 3, 5, 7, 11]

function numberList(read: number[] = []) {
  return {
    read: async ({ after, limit }: { after: number; limit: number }) => {
      read.push(after)
      return numbers.filter(number => number > after).slice(0, limit)
    },
    placeOf: (number: number) => number,
    limit: 2,
  }
}

test('each page begins after the last entry of the previous page, and a short page is the last one', async () => {
  const read: number[] = []
  assert.deepEqual(await Array.fromAsync(listPages(numberList(read))), [[2, 3], [5, 7], [11]])
  assert.deepEqual(read, [0, 3, 7])
})

test('a list whose last page is full ends without an empty page', async () => {
  const list = { ...numberList(), after: 3 }
  assert.deepEqual(await Array.fromAsync(listPages(list)), [[5, 7], [11]])
  assert.deepEqual(await Array.fromAsync(listPages({ ...list, after: 5 })), [[7, 11]])
})

test('a short page is not the last one if the list says so', async () => {
  const short = { ...numberList(), limit: 10, isLast: (page: number[]) => page.length === 0 }
  const read = async (range: { after: number }) => short.read({ ...range, limit: 1 })
  assert.deepEqual(await Array.fromAsync(listEntries({ ...short, read })), numbers)
})

test('a list that is read by id continues after the last id', async () => {
  const ids = ['a', 'b', 'c', 'd'].map(id => ({ id }))
  const asked: Array<string | undefined> = []
  const read = async ({ limit, cursor }: { limit: number; cursor?: string }) => {
    asked.push(cursor)
    return ids.slice(ids.findIndex(({ id }) => id === cursor) + 1).slice(0, limit)
  }
  assert.deepEqual(await Array.fromAsync(entriesById(2, read)), ids)
  assert.deepEqual(asked, [undefined, 'b', 'd'])
})
