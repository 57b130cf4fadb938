// Tests the log lines about problems with DynamoDB: one line when a problem begins, changes or ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../model/failures.ts'
import type { Log } from '../../server/parts.ts'
import { logOnce } from './mirror-dynamodb.ts'

test('a problem of DynamoDB is logged once when it starts and once when it ends', () => {
  const lines: string[] = []
  const log = { warn: () => lines.push('warn'), info: () => lines.push('info') } as unknown as Log
  const tell = logOnce(log)
  const trouble = (message: string) =>
    tell({ is: 'trouble', failure: new Failure('sink.unavailable', message) } as never)
  const sent = () => tell({ is: 'sent' } as never)
  sent()
  trouble('throttled')
  trouble('throttled')
  trouble('no table')
  sent()
  sent()
  trouble('no table')
  assert.deepEqual(lines, ['warn', 'warn', 'info', 'warn'])
})
