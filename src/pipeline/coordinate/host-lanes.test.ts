// Tests which lane each host with a rate has while the number of lanes changes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HostLanes } from './host-lanes.ts'

const hosts = Array.from({ length: 40 }, (_, index) => `host-${index}.example`)
const idle = () => false
const busy = () => true
const lanesOf = (lanes: HostLanes, isBusy: () => boolean) => hosts.map(host => lanes.laneOf(host, isBusy))

test('with one lane, every host has this lane', () => {
  assert.deepEqual(new Set(lanesOf(new HostLanes(), idle)), new Set([0]))
})

test('with two lanes, each host has one lane, and both lanes have hosts', () => {
  const lanes = new HostLanes()
  lanes.useLanes(2, () => [])
  assert.deepEqual(lanesOf(lanes, idle), lanesOf(lanes, busy))
  assert.deepEqual(new Set(lanesOf(lanes, idle)), new Set([0, 1]))
})

test('a host keeps its lane until its requests in flight have ended', () => {
  const lanes = new HostLanes()
  lanes.useLanes(2, () => hosts)
  assert.deepEqual(new Set(lanesOf(lanes, busy)), new Set([0]))
  const moved = lanesOf(lanes, idle)
  assert.deepEqual(new Set(moved), new Set([0, 1]))
  assert.deepEqual(lanesOf(lanes, busy), moved, 'a host that has moved does not move back')
})

test('a busy host keeps its lane when the number of lanes changes several times', () => {
  const lanes = new HostLanes()
  lanes.useLanes(2, () => hosts)
  lanes.useLanes(3, () => hosts)
  assert.deepEqual(new Set(lanesOf(lanes, busy)), new Set([0]))
})
