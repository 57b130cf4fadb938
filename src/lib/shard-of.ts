// Assigns names to shards. The result is the same in every process and in queries of the stores.
import { hash } from 'node:crypto'
import type { Shard } from '../model/shard.ts'

/** Uses the first 32 bits of the MD5 hash, which PostgreSQL can compute too. */
export const shardOf = (name: string, count: number): number =>
  count === 1 ? 0 : Number.parseInt(hash('md5', name).slice(0, 8), 16) % count

/** If `shard` is undefined, every name is included. */
export const isIn = (shard: Shard | undefined, name: string): boolean =>
  shard === undefined || shardOf(name, shard.count) === shard.index
