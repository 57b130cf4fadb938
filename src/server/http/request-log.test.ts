// Tests that loggers of requests, which are created only when needed, write all their fields.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '../parts.ts'
import { withLateChildren } from './request-log.ts'

/** A logger that stores its lines, each with the fields of all its parents. */
function memoryLog(lines: object[], made: object[] = [], told: object = {}): Log {
  const line = (fields: object) => void lines.push({ ...told, ...fields })
  const child = (bindings: object) => {
    made.push(bindings)
    return memoryLog(lines, made, { ...told, ...bindings })
  }
  const levels = { fatal: line, error: line, warn: line, info: line, debug: line, trace: line, silent: line }
  return { level: 'info', ...levels, child }
}

test('a log line of a request has the fields of its logger, and no logger is created for a request that logs nothing', () => {
  const lines: object[] = []
  const made: object[] = []
  const log = withLateChildren(memoryLog(lines, made)).child({ service: 'api' })

  log.child({ request_id: 'silent' })
  const speaking = log.child({ request_id: 'a' })
  speaking.info({ status: 200 })
  speaking.error({ status: 500 })

  assert.deepEqual(lines, [
    { service: 'api', request_id: 'a', status: 200 },
    { service: 'api', request_id: 'a', status: 500 },
  ])
  assert.deepEqual(made, [{ service: 'api' }, { request_id: 'a' }])
})
