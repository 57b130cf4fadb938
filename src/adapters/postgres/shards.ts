// SQL that selects the hosts of one shard. It computes the same shard as `shardOf`.
import type { Shard } from '../../model/shard.ts'

/** Whether the column `host` belongs to the shard. Parameters $2 and $3 are the shard's index and the number of shards. */
export const inShard = `($3::integer = 1 OR ('x' || left(md5(host), 8))::bit(32)::bigint % $3 = $2)`

export const shardValues = ({ index, count }: Shard = { index: 0, count: 1 }): [number, number] => [
  index,
  count,
]
