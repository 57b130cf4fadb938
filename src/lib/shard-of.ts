// Which shard something belongs to: the same in every process, and in the stores' own queries.
import { hash } from 'node:crypto'
import type { Shard } from '../model/shard.ts'

/** By the first 32 bits of its MD5, which PostgreSQL has as well. */
export const shardOf = (name: string, count: number): number =>
  count === 1 ? 0 : Number.parseInt(hash('md5', name).slice(0, 8), 16) % count

/** Without a shard, everything is. */
export const isIn = (shard: Shard | undefined, name: string): boolean =>
  shard === undefined || shardOf(name, shard.count) === shard.index
