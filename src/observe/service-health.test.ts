// Tests the responses of /health and /readiness.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../lib/clocks.ts'
import { Failure } from '../model/failures.ts'
import type { Store } from '../ports/store.ts'
import { type HealthParts, serviceHealth } from './service-health.ts'

const clock = new FakeClock()
const storeOf = (checkWritable: () => Promise<void>, load = async () => ({ tasks: 10 })) =>
  ({ checkWritable, jobs: { load } }) as unknown as Store

function healthOf(change: Partial<HealthParts> = {}) {
  return serviceHealth({
    ...{ clock, version: '1.2.3', startedAt: clock.now() - 61_500, store: storeOf(async () => {}) },
    ...{ workers: () => ({ alive: 1, inFlight: 3 }), averageTaskSeconds: () => 0.5 },
    ...{ browserPool: () => null, poolSize: () => 4, browserTrouble: async () => null },
    proxies: () => ({ configured: false, healthy: 0, unhealthy: 0, each: [] }),
    ...change,
  })
}

test('a service with all its dependencies is ready, and its health shows the backlog', async () => {
  const report = await healthOf().report()
  assert.deepEqual([report.status, report.version, report.uptimeSeconds], ['ok', '1.2.3', 61])
  assert.deepEqual(report.queue, { queueDepth: 7, activeWorkers: 3, avgDuration: 0.5 })
  assert.deepEqual([report.browserPool.total, report.browserPool.available], [4, 4])
})

test('if one dependency is missing, the service is not ready, and the missing dependency is named', async () => {
  const broken: Record<string, Partial<HealthParts>> = {
    store: { store: storeOf(() => Promise.reject(new Failure('store.busy', 'x'))) },
    workers: { workers: () => ({ alive: 0, inFlight: 0 }) },
    browser: { browserTrouble: async () => 'there is none' },
    proxies: { proxies: () => ({ configured: true, healthy: 0, unhealthy: 2, each: [] }) },
  }
  for (const [name, change] of Object.entries(broken)) {
    const { ready, checks } = await healthOf(change).readiness()
    assert.equal(ready, false, name)
    const troubled = Object.entries(checks).filter(([, said]) => said !== 'ok')
    assert.deepEqual(
      troubled.map(([check]) => check),
      [name],
    )
  }
})

test('the service is ready without configured proxies, or with at least one healthy proxy', async () => {
  const proxies = () => ({ configured: true, healthy: 1, unhealthy: 9, each: [] })
  assert.equal((await healthOf({ proxies }).readiness()).ready, true)
})

test('while the store is down, the health check sends no further queries to the store', async () => {
  const load = () => assert.fail('it was asked')
  const store = storeOf(() => Promise.reject(new Failure('store.busy', 'x')), load)
  const { status, queue } = await healthOf({ store }).report()
  assert.deepEqual([status, queue.queueDepth], ['degraded', 0])
})

test('the health report does not list browsers one by one', async () => {
  const pool = { open: 1, browsers: [{ id: 'b' }] } as never
  assert.equal(
    'browsers' in ((await healthOf({ browserPool: () => pool }).report()).browserPool ?? {}),
    false,
  )
})
