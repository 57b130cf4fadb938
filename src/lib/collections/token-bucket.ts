// A token bucket without a timer: one number, the time at which the bucket is full (GCRA).

/** Distance between starts for `rate` per second; 0 means no limit. */
export const gapOfRate = (rate: number | 'unlimited'): number => (rate === 'unlimited' ? 0 : 1_000 / rate)

/** Time of the next token of a bucket with `burst` tokens that is full at `fullAt`. */
export const nextToken = (fullAt: number, gapMs: number, burst: number): number =>
  fullAt - (burst - 1) * gapMs

/** When the bucket is full again after a token was taken at `at`. */
export const fullAfter = (fullAt: number, gapMs: number, at: number): number => Math.max(fullAt, at) + gapMs

/** Approximate number of tokens from `at` to `until`: never too few, at most a burst too many. */
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

  /** The earliest time, from `now`, for a token. */
  earliest(now: number): number {
    if (this.#gapMs === 0) return now
    return Math.max(now, nextToken(this.#fullAt, this.#gapMs, this.#burst))
  }

  /** See `tokensBetween`. */
  tokensUntil(now: number, until: number): number {
    return tokensBetween(this.earliest(now), until, this.#gapMs, this.#burst)
  }

  /** Takes the token at `at`, which must not be before `earliest`. */
  take(at: number): void {
    this.#fullAt = fullAfter(this.#fullAt, this.#gapMs, at)
    this.#lastAt = at
  }

  /** Returns an unused token. Only the newest one: otherwise two later starts would come too close. */
  giveBack(at: number): void {
    if (at !== this.#lastAt) return
    this.#fullAt -= this.#gapMs
    this.#lastAt = at - this.#gapMs
  }
}
