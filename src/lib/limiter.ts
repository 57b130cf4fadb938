// Limits how many operations run at a time. The others wait, in order.

export class Limiter {
  readonly #most: number
  #running = 0
  readonly #waiting: Array<() => void> = []

  constructor(most: number) {
    this.#most = most
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#most) await new Promise<void>(resolve => this.#waiting.push(resolve))
    else this.#running++
    try {
      return await work()
    } finally {
      // The next operation takes this place, so an operation that starts now cannot exceed the limit.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }
}
