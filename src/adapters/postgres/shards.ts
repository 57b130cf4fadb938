// Hosts of one shard, in a query: the same as `shardOf`.
import type { Shard } from '../../model/shard.ts'

/** Of a column `host`, with the shard as the second and third value. */
export const inShard = `($3::integer = 1 OR ('x' || left(md5(host), 8))::bit(32)::bigint % $3 = $2)`

export const shardValues = ({ index, count }: Shard = { index: 0, count: 1 }): [number, number] => [
  index,
  count,
]
