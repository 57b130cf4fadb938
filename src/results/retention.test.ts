// Tests retention: expired or excess data is deleted, and data that a job still needs stays.
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { expiredSegments, type Segment, spaceVerdict } from './retention.ts'

const day = 24 * 60 * 60 * 1_000
const now = 100 * day
const segment = (key: string, ageDays: number, bytes = 10, inUse = false): Segment => ({
  key,
  bytes,
  modifiedAt: now - ageDays * day,
  inUse,
})
const keysOf = (segments: Segment[]) => segments.map(({ key }) => key)

test('segments older than the age limit are deleted, and younger segments stay', () => {
  const segments = [segment('new', 1), segment('old', 8), segment('edge', 7)]
  assert.deepEqual(keysOf(expiredSegments(segments, { maxAgeMs: 7 * day, maxBytes: 0 }, now)), ['old'])
})

test('the retention of a job replaces the age limit for its segments', () => {
  const own = [
    { ...segment('shorter', 3), maxAgeMs: 2 * day },
    { ...segment('longer', 20), maxAgeMs: 30 * day },
    { ...segment('for ever', 90), maxAgeMs: 0 },
  ]
  assert.deepEqual(keysOf(expiredSegments(own, { maxAgeMs: 7 * day, maxBytes: 0 }, now)), ['shorter'])
})

test('above the size limit the oldest segments are deleted, and no more than needed', () => {
  const segments = [segment('b', 2), segment('c', 1), segment('a', 3)]
  assert.deepEqual(keysOf(expiredSegments(segments, { maxAgeMs: 0, maxBytes: 15 }, now)), ['a', 'b'])
})

test('segments of a running job are never deleted, and the limit applies to the other segments', () => {
  const one = fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 50 }), fc.boolean())
  const some = fc.array(one.map(([age, bytes, inUse]) => segment('any', age, bytes, inUse)))
  const rule = fc.record({ maxAgeMs: fc.nat({ max: 30 * day }), maxBytes: fc.nat({ max: 500 }) })
  fc.assert(
    fc.property(some, rule, (segments, rule) => {
      const expired = new Set(expiredSegments(segments, rule, now))
      const left = segments.filter(one => !expired.has(one))
      const total = left.reduce((sum, { bytes }) => sum + bytes, 0)
      assert.ok([...expired].every(one => !one.inUse))
      assert.ok(
        rule.maxBytes === 0 || total <= rule.maxBytes || left.every(one => one.inUse || one.bytes === 0),
      )
    }),
  )
})

test('the free space is classified as enough, low or full', () => {
  const rule = { minFreeBytes: 100 }
  assert.deepEqual(
    [null, 200, 199, 100, 99, 0].map(free => spaceVerdict(free, rule)),
    ['enough', 'enough', 'low', 'low', 'full', 'full'],
  )
})
