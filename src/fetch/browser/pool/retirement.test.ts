// Tests when a browser is retired.
import assert from 'node:assert/strict'
import test from 'node:test'
import { defaultLimits, NavigationTimes, retirementReason } from './retirement.ts'

const young = () => ({ pages: 1, ageMs: 1_000, memoryBytes: 300_000_000, navigations: new NavigationTimes() })

test('a browser is kept while it is young, small and fast', () => {
  assert.equal(retirementReason(young(), defaultLimits), null)
})

test('a browser is retired if its pages, its age or its memory reach the limit', () => {
  assert.equal(retirementReason({ ...young(), pages: 100 }, defaultLimits), 'pages')
  assert.equal(retirementReason({ ...young(), ageMs: 30 * 60_000 }, defaultLimits), 'age')
  assert.equal(retirementReason({ ...young(), memoryBytes: 1_300_000_000 }, defaultLimits), 'memory')
})

test('a browser is slow if its latest pages take twice as long as its first twenty', () => {
  const service = young()
  for (let n = 0; n < 20; n++) service.navigations.add(600)
  for (let n = 0; n < 20; n++) service.navigations.add(1_100)
  assert.equal(retirementReason(service, defaultLimits), null)
  for (let n = 0; n < 20; n++) service.navigations.add(1_250)
  assert.equal(retirementReason(service, defaultLimits), 'slow')
})

test('pages under half a second are not slow, even if earlier pages were faster', () => {
  const service = young()
  for (let n = 0; n < 20; n++) service.navigations.add(30)
  for (let n = 0; n < 20; n++) service.navigations.add(100)
  assert.equal(retirementReason(service, defaultLimits), null)
})
