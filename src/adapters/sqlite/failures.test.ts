// Tests which failure code each SQLite error gets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asStoreFailure } from './failures.ts'

const sqliteError = (errcode: number) => Object.assign(new Error('from SQLite'), { errcode })
const codeOf = (errcode: number) =>
  (asStoreFailure(sqliteError(errcode), '/data/store') as { code?: string }).code

test('a full disk, a failing disk and a busy file have different codes, also for extended SQLite errors', () => {
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

test('an error in our own SQL is reported as a bug', () => {
  const error = sqliteError(1)
  assert.equal(asStoreFailure(error, '/data/store'), error)
})
