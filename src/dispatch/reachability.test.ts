// Tests how long a job waits for silent hosts, and when our own network is the more likely cause.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { givenUp, type HostReach, Reachability } from './reachability.ts'

const second = 1_000
const minute = 60_000
const noMore = () => false
const limits = { patienceMs: 2 * minute, outageMs: 60 * minute }
const newHost = (): HostReach => ({
  answeredAt: Number.NEGATIVE_INFINITY,
  silentSince: null,
  robotsFailingSince: null,
  isRobotsMute: false,
  lastError: null,
})

const verdictOf = (reach: HostReach, now: number, { networkDown = false, jobStartedAt = 0 } = {}) =>
  givenUp(reach, limits, { jobStartedAt, networkDown }, now)?.reason ?? null

test('a host that never answered is excluded after the job’s time limit', () => {
  const reach = { ...newHost(), silentSince: 10 * second }
  assert.equal(verdictOf(reach, 2 * minute), null)
  assert.equal(verdictOf(reach, 2 * minute + 10 * second), 'host.unreachable')
})

test('a host that answered earlier in the job is excluded only after the longer time limit for outages', () => {
  const reach = { ...newHost(), answeredAt: 5 * second, silentSince: 10 * second }
  assert.equal(verdictOf(reach, 59 * minute), null)
  assert.equal(verdictOf(reach, 61 * minute), 'host.unreachable')
})

test('the time before the job started does not count as silence of a host', () => {
  const reach = { ...newHost(), answeredAt: 0, silentSince: 1 * minute }
  assert.equal(verdictOf(reach, 11 * minute, { jobStartedAt: 10 * minute }), null)
  assert.equal(verdictOf(reach, 12 * minute, { jobStartedAt: 10 * minute }), 'host.unreachable')
})

test('if robots.txt cannot be fetched, tasks wait at most for the time limit of an outage', () => {
  const reach = { ...newHost(), answeredAt: 1, robotsFailingSince: 0 }
  assert.equal(verdictOf(reach, 59 * minute), null)
  assert.equal(verdictOf(reach, 60 * minute), 'robots.unreachable')
})

test('while our own network is down, tasks wait even for hosts that never answered', () => {
  const reach = { ...newHost(), silentSince: 0 }
  assert.equal(verdictOf(reach, 5 * minute, { networkDown: true }), null)
  assert.equal(verdictOf(reach, 60 * minute, { networkDown: true }), 'host.unreachable')
})

test('the network counts as down if several hosts were tried for a while and none answered', () => {
  const reachability = new Reachability()
  const hosts = [newHost(), newHost(), newHost()]
  for (const [index, host] of hosts.entries())
    reachability.note(host, 'connect.timeout', index * second, index * second)
  assert.equal(
    reachability.isNetworkDown(2 * second, noMore),
    false,
    'the hosts were not tried for long enough',
  )
  assert.equal(reachability.isNetworkDown(15 * second, noMore), true)
})

test('the network does not count as down while one host is still untried', () => {
  const reachability = new Reachability()
  for (let n = 0; n < 49; n++) reachability.note(newHost(), 'connect.timeout', 0, 0)
  assert.equal(
    reachability.isNetworkDown(20 * second, () => true),
    false,
  )
  reachability.note(newHost(), 'connect.timeout', 0, 0)
  assert.equal(
    reachability.isNetworkDown(20 * second, () => true),
    true,
    'fifty dead hosts are enough',
  )
})

test('one host that answers, even with a server error, shows that the network is up', () => {
  const reachability = new Reachability()
  const hosts = [newHost(), newHost(), newHost(), newHost()]
  for (const host of hosts) reachability.note(host, 'connect.refused', 0, 0)
  reachability.note(newHost(), 'http.server-error', 1, 20 * second)
  assert.equal(reachability.isNetworkDown(60 * second, noMore), false)
  for (const host of hosts) reachability.note(host, 'connect.refused', 70 * second, 70 * second)
  assert.equal(
    reachability.isNetworkDown(120 * second, noMore),
    false,
    'silence before a later answer does not count',
  )
})

test('the network does not count as down if the only hosts that answered have no more work', () => {
  const reachability = new Reachability()
  const good = newHost()
  reachability.note(good, undefined, 0, 0)
  for (let n = 1; n <= 5; n++) reachability.note(newHost(), 'connect.refused', n, n)
  assert.equal(reachability.isNetworkDown(60 * second, noMore), false)
  reachability.note(good, 'connect.timeout', 61 * second, 61 * second)
  assert.equal(
    reachability.isNetworkDown(80 * second, noMore),
    true,
    'a host that answered before is silent too',
  )
})

test('failures of kscrape itself say nothing about a host', () => {
  const reachability = new Reachability()
  const host = newHost()
  reachability.note(host, 'worker.stopping', 0, 0)
  assert.deepEqual(host, newHost())
})
