// Tests merging references into ranges: fewer reads cover the same references.
import assert from 'node:assert/strict'
import test from 'node:test'
import { rangesOf } from './ranges.ts'

test('two ranges are merged only if they touch and are in the same segment', () => {
  const ref = (key: string, offset: number, length: number) => ({ key: `${key}.warc.gz`, offset, length })
  const ranges = rangesOf([ref('b', 0, 5), ref('a', 10, 5), ref('a', 0, 10), ref('a', 16, 4)])
  assert.deepEqual(
    ranges.map(({ whole }) => whole),
    [ref('a', 0, 15), ref('a', 16, 4), ref('b', 0, 5)],
  )
  assert.deepEqual(ranges[0]?.refs, [ref('a', 0, 10), ref('a', 10, 5)])
})
