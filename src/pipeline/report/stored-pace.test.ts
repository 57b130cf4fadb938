// Tests how a process that does not run a job computes the rate of the job.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newJob, newTasks } from '../../../test/contracts/store/fixtures.ts'
import { openTemporaryStore } from '../../../test/support/temporary-store.ts'
import { FakeClock } from '../../lib/clocks.ts'
import type { Job } from '../../model/job.ts'
import { hostPolicy } from '../../model/policy/policy.ts'
import { storedPace } from './stored-pace.ts'

const known = hostPolicy.parse({})
const userAgent = 'kscrape/1.0'

test('the time is estimated from the number of waiting pages, and from the rate or the Crawl-delay of their host', async () => {
  const clock = new FakeClock()
  await using opened = await openTemporaryStore(clock)
  const { store } = opened
  await store.jobs.create(newJob(), newTasks(50))
  const job = (await store.jobs.get('job')) as Job
  const parts = { store, policyFor: () => known, userAgent, now: clock.now() }
  const pace = await storedPace(parts, job)
  assert.deepEqual([pace?.pages, pace?.leftMs, pace?.reason], [50, 50_000, 'default'])

  const robots = { origin: `https://${pace!.host}`, status: 200, body: 'User-agent: *\nCrawl-delay: 5' }
  await store.hosts.keepRobots({ ...robots, verdict: 'parsed', fetchedAt: 0, expiresAt: 1e15, failures: 0 })
  const slow = await storedPace(parts, job)
  assert.deepEqual([slow?.leftMs, slow?.reason], [250_000, 'crawl-delay'])
})
