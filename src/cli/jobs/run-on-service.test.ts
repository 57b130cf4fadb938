// Tests when a command stops following a job, because the job waits for the user.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobEvent } from '../../client.ts'
import { isHalt } from './run-on-service.ts'

const eventOf = (event: string, status: string, reason: string | null) =>
  ({ event, data: { status, reason } }) as unknown as JobEvent

test('the command stops waiting for a job that is paused at a limit or at walls', () => {
  assert.ok(isHalt(eventOf('status', 'paused', 'limit.pages')))
  assert.ok(isHalt(eventOf('progress', 'paused', 'waste.blocked')))
})

test('the command waits for a paused job that resumes by itself, whatever its tasks report', () => {
  assert.ok(!isHalt(eventOf('status', 'paused', 'no-healthy-proxy')))
  assert.ok(!isHalt(eventOf('status', 'paused', null)))
  assert.ok(!isHalt(eventOf('status', 'running', 'limit.pages')))
  assert.ok(!isHalt(eventOf('task', 'paused', 'limit.pages')))
})
