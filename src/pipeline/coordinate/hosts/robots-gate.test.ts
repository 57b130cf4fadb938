// Tests what is known about the robots.txt of each origin, from which source, and for how long.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeClock } from '../../../lib/clocks.ts'
import type { FailureCode } from '../../../model/failures.ts'
import type { RobotsEntry } from '../../../model/host.ts'
import type { RobotsReport } from '../../../model/lane.ts'
import type { HostStore } from '../../../ports/store.ts'
import { originOf, RobotsGate, robotsFailure, waitFor } from './robots-gate.ts'

const origin = 'https://shop.example'
const day = 86_400_000
const usual = { userAgent: 'kscrape/1', circle: '' }
const other = { userAgent: 'other/1', circle: '' }

function openGate() {
  const clock = new FakeClock()
  const kept = new Map<string, RobotsEntry>()
  const store = {
    robots: async (name: string) => kept.get(name) ?? null,
    keepRobots: async (entry: RobotsEntry) => void kept.set(entry.origin, entry),
  } as HostStore
  const asked: string[] = []
  const answering = (change: Partial<RobotsReport>) => async (name: string) => {
    asked.push(name)
    const times = { startedAt: 0, sentAt: 0, endedAt: 0 }
    return { origin: name, status: 200, body: '', maxAgeMs: null, failure: null, ...times, ...change }
  }
  return {
    gate: new RobotsGate({ store, clock }),
    again: () => new RobotsGate({ store, clock }),
    clock,
    kept,
    asked,
    answering,
  }
}

const failedWith = (code: FailureCode): Partial<RobotsReport> => ({
  status: null,
  failure: { code, message: code },
})
const isOf = (gate: RobotsGate, path = '/') => gate.decide(origin + path, usual).is

test('no URL of a site is allowed before its robots.txt was fetched', () => {
  assert.equal(isOf(openGate().gate), 'unknown')
})

test('the robots.txt rules for our user agent apply', async () => {
  const { gate, answering } = openGate()
  const body = 'User-agent: kscrape\nDisallow: /private\n\nUser-agent: *\nDisallow: /'
  await gate.learn(`${origin}/x`, usual, answering({ body }))
  assert.equal(isOf(gate), 'allowed')
  assert.equal(isOf(gate, '/private/a'), 'disallowed')
  await gate.learn(`${origin}/x`, other, answering({ body }))
  assert.equal(gate.decide(`${origin}/`, other).is, 'disallowed')
})

test('tasks that need the same robots.txt at the same time cause one request', async () => {
  const { gate, asked, answering } = openGate()
  const fetch = answering({})
  await Promise.all([1, 2, 3].map(n => gate.learn(`${origin}/${n}`, usual, fetch)))
  assert.deepEqual(asked, [origin])
})

test('jobs of one circle that need the same robots.txt at once cause one request, and each gets the rules for its own user agent', async () => {
  const { gate, asked, answering } = openGate()
  const fetch = answering({ body: 'User-agent: kscrape\nDisallow:\n\nUser-agent: *\nDisallow: /' })
  await Promise.all([usual, other].map(reader => gate.learn(`${origin}/`, reader, fetch)))
  assert.deepEqual(asked, [origin])
  assert.equal(gate.decide(`${origin}/`, usual).is, 'allowed')
  assert.equal(gate.decide(`${origin}/`, other).is, 'disallowed')
})

test('if a fetched robots.txt cannot be stored, the retry of the task sends no second request', async () => {
  const { gate, kept, asked, answering } = openGate()
  kept.set = () => {
    throw new Error('the store is busy')
  }
  await assert.rejects(gate.learn(`${origin}/`, usual, answering({ status: 404 })), /busy/)
  assert.deepEqual([asked.length, isOf(gate)], [1, 'allowed'])
})

test('a robots.txt that the worker has already stored is used as it is, and is not stored again', async () => {
  const { gate, kept, clock, answering } = openGate()
  const now = clock.now()
  const entry: RobotsEntry = {
    ...{ origin, fetchedAt: now, expiresAt: now + 1_000, verdict: 'parsed', status: 200, failures: 0 },
    body: 'User-agent: *\nDisallow: /',
  }
  await gate.learn(`${origin}/`, usual, answering({ kept: entry }))
  assert.equal(isOf(gate), 'disallowed')
  assert.equal(kept.size, 0)
})

test('rules of a robots.txt are valid for a day, even in the next process', async () => {
  const { gate, again, clock, asked, answering } = openGate()
  await gate.learn(`${origin}/`, usual, answering({}))
  const next = again()
  await next.learn(`${origin}/`, usual, answering({}))
  assert.deepEqual([asked.length, isOf(next)], [1, 'allowed'])
  clock.advance(day)
  assert.equal(isOf(next), 'unknown')
  await next.learn(`${origin}/`, usual, answering({}))
  assert.equal(asked.length, 2)
})

test('a site without robots.txt allows everything', async () => {
  const { gate, answering } = openGate()
  await gate.learn(`${origin}/`, usual, answering({ status: 404 }))
  assert.equal(isOf(gate), 'allowed')
})

test('if robots.txt answers with a server error, nothing is allowed for a while, and the host waits', async () => {
  const { gate, clock, answering } = openGate()
  await gate.learn(`${origin}/`, usual, answering({ status: 503 }))
  const decision = gate.decide(`${origin}/`, usual)
  const failure = robotsFailure(`${origin}/`, decision, clock.now())
  assert.equal(failure?.code, 'robots.unreachable')
  assert.equal(waitFor(decision)! - clock.now(), failure.details.retryAfterMs)
})

for (const code of ['dns.not-found', 'tls.failed', 'address.refused'] as const)
  test(`the failure ${code} of robots.txt is reported at once, without waiting`, async () => {
    const { gate, clock, answering } = openGate()
    await gate.learn(`${origin}/`, usual, answering(failedWith(code)))
    const decision = gate.decide(`${origin}/`, usual)
    assert.equal(robotsFailure(`${origin}/`, decision, clock.now())?.code, code)
    assert.equal(waitFor(decision), null)
  })

test('if the host refuses connections, the task fails for that reason, and does not wait for robots.txt', async () => {
  const { gate, kept, answering } = openGate()
  for (const code of ['connect.refused', 'connect.timeout', 'dns.failed'] as const) {
    await assert.rejects(gate.learn(`${origin}/`, usual, answering(failedWith(code))), { code })
    assert.deepEqual([kept.size, isOf(gate)], [0, 'unknown'], 'the next attempt requests it again')
  }
})

test('if a stop, the store or the queue interrupts the request for a robots.txt, the site gets no failure', async () => {
  const { gate, kept, answering } = openGate()
  for (const code of ['worker.stopping', 'store.busy', 'queue.unavailable'] as const) {
    const stopped = gate.learn(`${origin}/`, usual, answering(failedWith(code)))
    await assert.rejects(stopped, { code })
    assert.deepEqual([kept.size, isOf(gate)], [0, 'unknown'])
  }
  await gate.learn(`${origin}/`, usual, answering({}))
  assert.equal(isOf(gate), 'allowed', 'the next attempt requests it again')
})

test('a robots.txt request that failed can be repeated', async () => {
  const { gate, answering } = openGate()
  await assert.rejects(gate.learn(`${origin}/`, usual, () => Promise.reject(new Error('no turn'))))
  await gate.learn(`${origin}/`, usual, answering({}))
  assert.equal(isOf(gate), 'allowed')
})

test('each scheme, host and port has its own robots.txt', () => {
  const urls = ['https://a.example/x?y', 'http://a.example:8080', 'http://[::1]:81/']
  assert.deepEqual(urls.map(originOf), ['https://a.example', 'http://a.example:8080', 'http://[::1]:81'])
})

test('two circles of jobs share no cached robots.txt, also after a restart', async () => {
  const { gate, again, asked, answering } = openGate()
  const team = { userAgent: 'kscrape/1', circle: 'team' }
  await gate.learn(`${origin}/x`, team, answering({ body: 'User-agent: *\nDisallow: /' }))
  assert.equal(isOf(gate), 'unknown')
  await gate.learn(`${origin}/x`, usual, answering({}))
  assert.equal(isOf(gate), 'allowed')
  assert.equal(gate.decide(`${origin}/`, team).is, 'disallowed')
  const later = again()
  await later.learn(`${origin}/x`, team, answering({}))
  assert.equal(later.decide(`${origin}/`, team).is, 'disallowed')
  assert.equal(asked.length, 2)
})
