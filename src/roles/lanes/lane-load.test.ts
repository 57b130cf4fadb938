// Tests when another lane is started.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LoadWindow, needsAnotherLane } from './lane-load.ts'

const twoCores = 2

test('another lane starts if the lanes are busy and cores are free', () => {
  assert.ok(needsAnotherLane({ busy: [0.97], wantedCores: 1.2 }, twoCores))
  assert.ok(needsAnotherLane({ busy: [0.97, 0.93], wantedCores: 2.4 }, 4))
})

test('no lane starts if a lane waits for tasks or responses', () => {
  assert.ok(!needsAnotherLane({ busy: [0.5], wantedCores: 1.2 }, twoCores))
  assert.ok(!needsAnotherLane({ busy: [0.97, 0.5], wantedCores: 2.4 }, 8))
})

test('no lane starts if lanes, main thread and V8 need all cores', () => {
  assert.ok(!needsAnotherLane({ busy: [1], wantedCores: 1.8 }, twoCores))
  assert.ok(!needsAnotherLane({ busy: [1], wantedCores: 1.1 }, 1))
  assert.ok(needsAnotherLane({ busy: [1], wantedCores: 1.8 }, 4))
})

test('the load of the lanes is unknown until each lane has used enough CPU time', () => {
  const lane = (cpuMs: number) => ({ cpuMs, utilization: () => ({ idle: 0, active: 1, utilization: 1 }) })
  const [first, second] = [lane(100), lane(40_000)]
  const window = new LoadWindow([first, second])
  first.cpuMs += 600
  second.cpuMs += 10
  assert.equal(window.load(), null)
  second.cpuMs += 590
  assert.deepEqual(window.load()?.busy, [1, 1])
})
