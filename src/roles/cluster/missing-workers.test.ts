// Tests when runnable tasks without a worker count as a problem.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noWork } from '../../pipeline/coordinate/runnable-work.ts'
import type { WorkerHeartbeat } from '../../ports/stream-contents.ts'
import { MissingWorkers, missingRoles } from './missing-workers.ts'

const minute = 60_000
const signs = (...roles: string[]): WorkerHeartbeat[] =>
  roles.map(role => ({ role, name: `${role}-1`, concurrency: 1, held: 0 }))

test('a cluster without workers is healthy as long as there is no work', () => {
  const workers = new MissingWorkers()
  for (let at = 0; at < 60; at++) workers.note(missingRoles([]), noWork, at * minute)
  assert.equal(workers.trouble(60 * minute), null)
})

test('work that no worker takes becomes a problem after ten minutes, the time in which an autoscaler starts a worker', () => {
  const workers = new MissingWorkers()
  const work = { http: 3, browser: 0, process: 3 }
  const missing = missingRoles(signs('browser-worker', 'processor'))
  workers.note(missing, work, 0)
  workers.note(missing, work, 9 * minute)
  assert.equal(workers.trouble(9 * minute), null)
  assert.match(
    workers.trouble(10 * minute) ?? '',
    /^3 tasks are due, and no http-worker has run for 10 minutes: start one/,
  )
})

test('a new worker, or the end of the work, ends the problem', () => {
  for (const [roles, work] of [
    [['http-worker', 'browser-worker', 'processor'], { http: 3, browser: 0, process: 3 }],
    [[], noWork],
  ] as const) {
    const workers = new MissingWorkers()
    workers.note(missingRoles([]), { http: 3, browser: 0, process: 3 }, 0)
    workers.note(missingRoles(signs(...roles)), work, 5 * minute)
    workers.note(missingRoles([]), { http: 3, browser: 0, process: 3 }, 9 * minute)
    assert.equal(workers.trouble(12 * minute), null)
  }
})
