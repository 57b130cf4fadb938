// Tests that a report sent to another process as JSON is read back unchanged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { someLeasedTask } from '../../../test/support/leased-task.ts'
import { packReport, unpackReport } from './pack-report.ts'
import { failedReport } from './task-report.ts'

test('64-bit keys survive serialization between two processes', () => {
  const report = {
    ...failedReport({ ...someLeasedTask(1), startAt: 0, gapMs: 0 }, null, 5),
    failure: null,
    canonicalKey: -(2n ** 63n),
    contentKey: 2n ** 63n - 1n,
    links: {
      urls: ['https://a.example/2'],
      hosts: ['a.example'],
      keys: BigInt64Array.of(-7n),
      refused: { 'scope.refused': 2 },
    },
  }
  assert.deepEqual(unpackReport(JSON.parse(JSON.stringify(packReport(report)))), report)
})
