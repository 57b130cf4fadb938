// A shard: the part of all hosts that one coordinator leads.

export interface Shard {
  /** From 0. */
  index: number
  /** Number of shards. */
  count: number
}
