// Tests several concurrent readers of the highest record number that may be read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Queries } from './database.ts'
import { RecordHorizon } from './record-horizon.ts'

/** A fake database without other transactions. */
function quietDatabase(seq: number): Queries {
  let transactions = 0
  const answer = (text: string) => {
    if (text.includes('pg_sequence_last_value')) return { seq }
    if (text.includes('pg_current_xact_id')) return { own: String(++transactions) }
    return { oldest: String(transactions + 1) }
  }
  return { one: async (text: string) => answer(text) } as Queries
}

test('concurrent reads of the highest readable record number all return a number', async () => {
  const horizon = new RecordHorizon()
  const queries = quietDatabase(5)
  assert.deepEqual(await Promise.all([1, 2, 3].map(() => horizon.read(queries))), [5, 5, 5])
})
