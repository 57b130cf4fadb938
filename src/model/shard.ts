// A shard: the part of all hosts that one coordinator leads.

export interface Shard {
  /** Number of this shard, from 0. */
  index: number
  /** Number of shards. */
  count: number
}
