// Tests the log lines about sent webhooks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../../server/parts.ts'
import { logDelivery } from './send-webhooks.ts'

function logged(state: string, nextAt: number | null = null) {
  let line: { level: string; fields: Record<string, unknown> } | undefined
  const log = new Proxy(
    {},
    {
      get: (_, level) => (fields: Record<string, unknown>) => {
        line = { level: String(level), fields }
      },
    },
  ) as Log
  const webhook = { id: 'wh-1', jobId: 'job-1', url: 'https://user:pw@hook.example/secret-path', attempts: 2 }
  const attempt = { status: 500, durationMs: 12, error: 'HTTP 500' }
  logDelivery(log, { webhook, attempt, state, nextAt, traceparent: null } as never)
  return line!
}

test('a delivered webhook is logged as information, a retry as a warning, and a final failure as an error', () => {
  assert.deepEqual(
    ['delivered', 'pending', 'dead'].map(state => logged(state).level),
    ['info', 'warn', 'error'],
  )
})

test('the log line counts the attempt, and has the time of the next one', () => {
  assert.equal(logged('pending', 1_000).fields.next_at, '1970-01-01T00:00:01.000Z')
  const { fields } = logged('dead')
  assert.deepEqual([fields.attempt, fields.error_reason, fields.status], [3, 'HTTP 500', 500])
  assert.equal('error_reason' in logged('delivered').fields, false)
})

test('only the host of a webhook URL is logged, because its path may be a secret', () => {
  const { fields } = logged('dead')
  assert.equal(fields.target_domain, 'hook.example')
  assert.doesNotMatch(JSON.stringify(fields), /secret-path|pw/)
})
