// Tests how usage is counted by month.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jobOf } from '../../../../../test/support/job-values.ts'
import { byMonth } from './usage.ts'

const job = (createdAt: string, keyId: string | null) => jobOf({ createdAt: Date.parse(createdAt), keyId })
const used = [
  { job: job('2026-03-31T23:00:00Z', 'b'), used: { creditsUsed: 4 } },
  { job: job('2026-03-01T00:00:00Z', 'a'), used: { creditsUsed: 3 } },
  { job: job('2025-12-05T00:00:00Z', null), used: { creditsUsed: 2 } },
]

test('jobs of a calendar month make one period, and periods are listed oldest first', () => {
  assert.deepEqual(byMonth(used, false), [
    { startDate: '2025-12-01T00:00:00.000Z', endDate: '2026-01-01T00:00:00.000Z', creditsUsed: 2 },
    { startDate: '2026-03-01T00:00:00.000Z', endDate: '2026-04-01T00:00:00.000Z', creditsUsed: 7 },
  ])
})

test('if the caller asks for the usage by key, the response lists the months of each key separately', () => {
  assert.deepEqual(
    byMonth(used, true).map(period => Object.values(period).slice(2)),
    [
      ['none', 2],
      ['b', 4],
      ['a', 3],
    ],
  )
})
