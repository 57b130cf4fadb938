// Token bucket without a timer: one number says when the bucket would be full again (the GCRA form of the algorithm).

/** Start-to-start distance that keeps `rate` per second; 0 is no limit. */
export const gapOfRate = (rate: number | 'unlimited'): number => (rate === 'unlimited' ? 0 : 1_000 / rate)

/** When the next token is there, for a bucket of `burst` tokens that is full at `fullAt`. */
export const nextToken = (fullAt: number, gapMs: number, burst: number): number =>
  fullAt - (burst - 1) * gapMs

/** When the bucket is full again after a token was taken at `at`. */
export const fullAfter = (fullAt: number, gapMs: number, at: number): number => Math.max(fullAt, at) + gapMs

/** About how many tokens there are from `at` to `until`: never too few, and at most a burst too many. */
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

  /** The earliest moment, from `now` on, at which a token may be taken. */
  earliest(now: number): number {
    if (this.#gapMs === 0) return now
    return Math.max(now, nextToken(this.#fullAt, this.#gapMs, this.#burst))
  }

  /** See `tokensBetween`. */
  tokensUntil(now: number, until: number): number {
    return tokensBetween(this.earliest(now), until, this.#gapMs, this.#burst)
  }

  /** Takes the token of `at`, which must not be before `earliest`. */
  take(at: number): void {
    this.#fullAt = fullAfter(this.#fullAt, this.#gapMs, at)
    this.#lastAt = at
  }

  /** A token nobody used. Only the newest one comes back: another would let two later starts come too close. */
  giveBack(at: number): void {
    if (at !== this.#lastAt) return
    this.#fullAt -= this.#gapMs
    this.#lastAt = at - this.#gapMs
  }
}
