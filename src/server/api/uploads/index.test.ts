// Tests the state of an upload.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownAs } from './index.ts'

const upload = {
  id: 'up-1',
  fileName: 'a.csv',
  bytes: null,
  createdAt: 0,
  expiresAt: 1_000,
  completedAt: null,
}

test('an upload has the state waiting until it is complete or expires', () => {
  const statusAt = (now: number, completedAt: number | null = null) =>
    shownAs({ ...upload, completedAt } as never, now).status
  assert.deepEqual([statusAt(999), statusAt(1_000)], ['waiting', 'expired'])
  assert.equal(statusAt(5_000, 500), 'complete')
  assert.equal(shownAs({ ...upload, completedAt: 500 } as never, 0).completedAt, '1970-01-01T00:00:00.500Z')
})
