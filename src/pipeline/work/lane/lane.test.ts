// Tests lanes whose limits change: waiting tasks can be returned, and the lane reports when its running tasks are within
// smaller limits. Tests when a lane delivers reports.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { settled } from '../../../../test/support/coordination.ts'
import { EgressGate } from '../../../fetch/http/index.ts'
import { FakeClock } from '../../../lib/clocks.ts'
import type { TimedTask } from '../../../model/lane.ts'
import type { Blobs } from '../../../ports/blobs.ts'
import { defineScraper } from '../../../scraper/define-scraper.ts'
import { inForce } from '../../submit/policy-in-force.ts'
import { parseJobSpec } from '../../submit/submit-job.ts'
import { Lane } from './lane.ts'

const task = (n: number, gapMs = 0, jobId = 'job'): TimedTask => ({
  ...{ jobId, n, attempt: 1, charged: 0, kind: 'page', depth: 0, priority: 0 },
  ...{ url: '', host: '~', input: null, itemId: null, way: 'http', wayWhy: null, startAt: 0, gapMs },
})

/** A lane with jobs of two slots. Their tasks end only when the test ends them. `reported` lists the delivered reports. */
function openLane(...jobs: string[]) {
  const ends: Array<() => void> = []
  const reported: string[] = []
  const waiter = defineScraper({ id: 'waiter', run: () => new Promise<void>(resolve => ends.push(resolve)) })
  const lane = new Lane({
    ...{ clock: new FakeClock(), name: 'lane', blobs: {} as Blobs },
    report: reports => reported.push(...reports.map(({ jobId, n }) => `${jobId} ${n}`)),
    http: { gate: new EgressGate({ allowPrivate: [] }), caFile: null },
    askPermit: async () => 0,
    scraper: () => waiter,
  })
  const spec = inForce(
    parseJobSpec({ items: [{ input: {} }], scraperId: 'waiter', results: { raw: 'none' } }),
  )
  const own = { kind: 'list', workspace: 'default', spec, userAgent: '', cookies: null, slots: 2 } as const
  for (const id of ['job', ...jobs]) lane.openJob({ id, ...own })
  return { lane, ends, reported }
}

test('a lane returns the last of its waiting tasks; running tasks and tasks of hosts with a rate stay in the lane', async () => {
  const { lane, ends } = openLane()
  lane.run({ tasks: [task(1), task(2), task(3), task(4), task(5, 100), task(6)] })
  await settled()
  assert.deepEqual(
    lane.returnTasks(2 / 3).map(({ n }) => n),
    [4, 6],
  )
  assert.deepEqual(
    lane.job('job')!.backlog.map(({ n }) => n),
    [3, 5],
  )
  lane.cancelJob('job')
  for (const end of ends) end()
  await lane[Symbol.asyncDispose]()
})

test('smaller limits are reached when the tasks that exceed them have ended', async () => {
  const { lane, ends } = openLane()
  lane.run({ tasks: [task(1), task(2), task(3)] })
  await settled()
  let isWithin = false
  const limited = lane.limitJobs([{ id: 'job', slots: 1 }]).then(() => {
    isWithin = true
  })
  await settled()
  assert.deepEqual([isWithin, ends.length], [false, 2])
  ends.shift()!()
  await limited
  assert.deepEqual([isWithin, ends.length, lane.job('job')!.backlog.length], [true, 1, 1])
  lane.cancelJob('job')
  for (const end of ends) end()
  await lane[Symbol.asyncDispose]()
})

test('a lane gathers reports of a job with running tasks, and delivers at once if no other task of the job is left', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { lane, ends, reported } = openLane('other')
  lane.run({ tasks: [task(1), task(2), task(1, 0, 'other')] })
  await setImmediate()
  const [first, second, other] = ends
  first!()
  await setImmediate()
  t.mock.timers.tick(1)
  await setImmediate()
  assert.deepEqual(reported, [])
  second!()
  await setImmediate()
  t.mock.timers.tick(1)
  await setImmediate()
  assert.deepEqual(reported, ['job 1', 'job 2'])
  other!()
  await lane[Symbol.asyncDispose]()
})
