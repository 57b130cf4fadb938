// Latencies in bounded memory: exponential buckets with an error of about 1 %.

/** The number of buckets for each doubling of the latency. */
const finest = 64

export class Latencies {
  /** Counts by `bucketOf` of the latency in microseconds. */
  readonly #counts = new Map<number, number>()
  #count = 0
  #sumMs = 0
  #maxMs = 0

  add(ms: number): void {
    const bucket = bucketOf(Math.max(0, Math.round(ms * 1_000)))
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + 1)
    this.#count += 1
    this.#sumMs += ms
    this.#maxMs = Math.max(this.#maxMs, ms)
  }

  get count(): number {
    return this.#count
  }

  get meanMs(): number {
    return this.#count === 0 ? 0 : this.#sumMs / this.#count
  }

  get maxMs(): number {
    return this.#maxMs
  }

  /** The latency that this share of requests did not exceed; 0 without requests. */
  atMostMs(share: number): number {
    let left = Math.ceil(share * this.#count)
    for (const [bucket, count] of [...this.#counts].sort(([one], [other]) => one - other)) {
      left -= count
      if (left <= 0) return Math.min(this.#maxMs, upperEndOf(bucket) / 1_000)
    }
    return 0
  }
}

function bucketOf(microseconds: number): number {
  const doublings = Math.max(0, Math.floor(Math.log2(microseconds / finest)))
  return doublings * finest + Math.floor(microseconds / 2 ** doublings)
}

function upperEndOf(bucket: number): number {
  const doublings = Math.max(0, Math.floor(bucket / finest) - 1)
  return (bucket - doublings * finest + 1) * 2 ** doublings - 1
}
