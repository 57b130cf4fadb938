// When a command stops following a job that waits for the user.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobEvent } from '../../client.ts'
import { isHalt } from './run-on-service.ts'

const eventOf = (event: string, status: string, reason: string | null) =>
  ({ event, data: { status, reason } }) as unknown as JobEvent

test('a job that is paused at a limit or at walls is not waited for', () => {
  assert.ok(isHalt(eventOf('status', 'paused', 'limit.pages')))
  assert.ok(isHalt(eventOf('progress', 'paused', 'waste.blocked')))
})

test('a job that resumes by itself, or a task with such a reason, is waited for', () => {
  assert.ok(!isHalt(eventOf('status', 'paused', 'no-healthy-proxy')))
  assert.ok(!isHalt(eventOf('status', 'paused', null)))
  assert.ok(!isHalt(eventOf('status', 'running', 'limit.pages')))
  assert.ok(!isHalt(eventOf('task', 'paused', 'limit.pages')))
})
