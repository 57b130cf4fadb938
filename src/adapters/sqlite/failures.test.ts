// What SQLite's errors become.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asStoreFailure } from './failures.ts'

const sqliteError = (errcode: number) => Object.assign(new Error('from SQLite'), { errcode })
const codeOf = (errcode: number) =>
  (asStoreFailure(sqliteError(errcode), '/data/store') as { code?: string }).code

test('a full disk, a sick disk and a busy file are told apart, extended codes included', () => {
  const fsyncFailed = 10 | (4 << 8)
  const busySnapshot = 5 | (2 << 8)
  assert.deepEqual([13, 10, fsyncFailed, 5, busySnapshot, 8, 14].map(codeOf), [
    'storage.full',
    'storage.failed',
    'storage.failed',
    'store.busy',
    'store.busy',
    'storage.failed',
    'storage.failed',
  ])
})

test('a mistake in our own SQL stays the bug it is', () => {
  const error = sqliteError(1)
  assert.equal(asStoreFailure(error, '/data/store'), error)
})
