// A token bucket without a timer. Its state is one number: the time at which the bucket is full (GCRA).

/** Milliseconds between two starts at `rate` per second. 0 means no limit. */
export const gapOfRate = (rate: number | 'unlimited'): number => (rate === 'unlimited' ? 0 : 1_000 / rate)

/** The time of the next token in a bucket with `burst` tokens that is full at `fullAt`. */
export const nextToken = (fullAt: number, gapMs: number, burst: number): number =>
  fullAt - (burst - 1) * gapMs

/** The time when the bucket is full again after a token was taken at `at`. */
export const fullAfter = (fullAt: number, gapMs: number, at: number): number => Math.max(fullAt, at) + gapMs

/** Approximate number of tokens that become available from `at` to `until`. The number is never too low, and at most
 *  one burst too high. */
export const tokensBetween = (at: number, until: number, gapMs: number, burst: number): number => {
  if (at > until) return 0
  return gapMs === 0 ? Number.POSITIVE_INFINITY : Math.floor((until - at) / gapMs) + burst
}

export class TokenBucket {
  readonly #gapMs: number
  readonly #burst: number
  #fullAt = 0
  #lastAt = Number.NEGATIVE_INFINITY

  constructor(options: { rate: number | 'unlimited'; burst: number }) {
    this.#gapMs = gapOfRate(options.rate)
    this.#burst = options.burst
  }

  /** The earliest time for a token, not before `now`. */
  earliest(now: number): number {
    if (this.#gapMs === 0) return now
    return Math.max(now, nextToken(this.#fullAt, this.#gapMs, this.#burst))
  }

  /** Approximate number of tokens from `now` to `until`, as `tokensBetween` counts them. */
  tokensUntil(now: number, until: number): number {
    return tokensBetween(this.earliest(now), until, this.#gapMs, this.#burst)
  }

  /** Takes the token at `at`, which must not be before `earliest`. */
  take(at: number): void {
    this.#fullAt = fullAfter(this.#fullAt, this.#gapMs, at)
    this.#lastAt = at
  }

  /** Returns an unused token. Only the newest token can be returned. If an older token were returned, two later starts
   *  would be too close together. */
  giveBack(at: number): void {
    if (at !== this.#lastAt) return
    this.#fullAt -= this.#gapMs
    this.#lastAt = at - this.#gapMs
  }
}
