// Tests that each robots.txt is requested once, however many leaders and workers need it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../lib/clocks.ts'
import { Failure } from '../../../model/failures.ts'
import type { RobotsEntry } from '../../../model/host.ts'
import type { RobotsReport } from '../../../model/lane.ts'
import type { UnderLock } from '../../../ports/locks.ts'
import { robotsOnce } from './robots-once.ts'

const origin = 'https://shop.example'

/** Locks as Redis provides them to several processes: one holder per name. */
function sharedLocks(): UnderLock {
  const last = new Map<string, Promise<unknown>>()
  return (name, work) => {
    const done = (last.get(name) ?? Promise.resolve()).then(work)
    last.set(
      name,
      done.catch(() => {}),
    )
    return done
  }
}

function openWorkers({ keep = async () => {} }: { keep?: () => Promise<void> } = {}) {
  const clock = new FakeClock()
  const stored = new Map<string, RobotsEntry>()
  const underLock = sharedLocks()
  const hosts = {
    robots: async (name: string) => stored.get(name) ?? null,
    keepRobots: async (entry: RobotsEntry) => {
      await keep()
      stored.set(entry.origin, entry)
    },
  }
  const worker = () => robotsOnce({ hosts, underLock, clock })
  return { clock, stored, one: worker(), other: worker() }
}

const reportOf = (change: Partial<RobotsReport> = {}): RobotsReport => ({
  ...{ origin, status: 200, body: 'User-agent: *\nDisallow: /private', maxAgeMs: null, failure: null },
  ...{ startedAt: 1, sentAt: 2, endedAt: 3, ...change },
})

/** A fake site that answers when the test releases it. */
function heldSite(report = reportOf()) {
  const released = Promise.withResolvers<RobotsReport>()
  let requests = 0
  const fetch = () => {
    requests++
    return released.promise
  }
  return { fetch, release: () => released.resolve(report), requests: () => requests }
}

test('if another worker is fetching a robots.txt, a worker that needs it waits', async () => {
  const { one, other } = openWorkers()
  const site = heldSite()
  const asked = [one(origin, site.fetch), other(origin, site.fetch)]
  site.release()
  const [first, second] = await Promise.all(asked)
  assert.equal(site.requests(), 1)
  assert.equal(first?.kept?.body, 'User-agent: *\nDisallow: /private')
  assert.deepEqual(second?.kept, first?.kept)
})

test('a robots.txt is stored before the leader is notified, so that the next leader needs no request', async () => {
  const { one, stored } = openWorkers()
  await one(origin, async () => reportOf({ status: 404, body: '' }))
  assert.equal(stored.get(origin)?.verdict, 'unavailable')
})

test('an expired robots.txt is fetched again', async () => {
  const { clock, one } = openWorkers()
  await one(origin, async () => reportOf())
  clock.advance(86_400_000)
  const again = heldSite()
  again.release()
  await one(origin, again.fetch)
  assert.equal(again.requests(), 1)
})

test('if a robots.txt request gets no response, nothing is stored, and the next task sends it again', async () => {
  const { one, other, stored } = openWorkers()
  const failure = new Failure('connect.refused', 'nobody listens').toJSON()
  const report = await one(origin, async () => reportOf({ status: null, body: '', failure }))
  assert.equal(report.kept, undefined)
  assert.equal(stored.size, 0)
  assert.equal((await other(origin, async () => reportOf())).kept?.verdict, 'parsed')
})

test('a server error for robots.txt is added to the stored number of failures', async () => {
  const { clock, one, stored } = openWorkers()
  await one(origin, async () => reportOf({ status: 503, body: '' }))
  clock.advance(3_600_000)
  await one(origin, async () => reportOf({ status: 503, body: '' }))
  assert.equal(stored.get(origin)?.failures, 2)
})

test('if the store is down, the leader gets the complete robots.txt and stores it later', async () => {
  const { one } = openWorkers({ keep: () => Promise.reject(new Failure('store.busy', 'it is down')) })
  const report = await one(origin, async () => reportOf())
  assert.equal(report.kept, undefined)
  assert.equal(report.body, 'User-agent: *\nDisallow: /private')
})
