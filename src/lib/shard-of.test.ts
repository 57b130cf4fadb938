// Tests that every host is in exactly one shard, and that hosts are spread evenly.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isIn, shardOf } from './shard-of.ts'

const hosts = Array.from({ length: 4_000 }, (_, index) => `host-${index}.example`)

test('every host belongs to one shard, and with a single shard all hosts belong to it', () => {
  for (const host of hosts.slice(0, 200)) {
    const own = [0, 1, 2].filter(index => isIn({ index, count: 3 }, host))
    assert.deepEqual(own, [shardOf(host, 3)])
    assert.ok(isIn({ index: 0, count: 1 }, host))
    assert.ok(isIn(undefined, host))
  }
})

test('hosts are spread evenly over shards', () => {
  const sizes = Map.groupBy(hosts, host => shardOf(host, 8))
  for (const own of sizes.values()) assert.ok(Math.abs(own.length - 500) < 100, `${own.length}`)
  assert.equal(sizes.size, 8)
})
