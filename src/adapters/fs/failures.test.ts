// Tests which failure code each file system error gets.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Failure } from '../../model/failures.ts'
import { asFileFailure } from './failures.ts'

const systemError = (code: string) => Object.assign(new Error(code), { code, syscall: 'write' })

test('a full disk gives storage.full, and errors about permissions or open files name the path', () => {
  const codes = ['ENOSPC', 'EDQUOT', 'EACCES', 'EMFILE', 'EIO'].map(code => {
    const failure = asFileFailure(systemError(code), '/data/blobs/x') as Failure
    assert.match(failure.message, /\/data\/blobs\/x/)
    return failure.code
  })
  assert.deepEqual(codes, [
    'storage.full',
    'storage.full',
    'storage.failed',
    'storage.failed',
    'storage.failed',
  ])
})
