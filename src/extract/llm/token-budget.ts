// The tokens that a job may spend, counted over all lanes: a number in memory that their threads share.

/** What was spent so far; travels with the job to every lane. */
export type SpentTokens = SharedArrayBuffer

export const nothingSpent = (): SpentTokens => new SharedArrayBuffer(4)

export class TokenBudget {
  readonly limit: number
  readonly #spent: Int32Array

  constructor(limit: number, spent: SpentTokens) {
    this.limit = limit
    this.#spent = new Int32Array(spent)
  }

  get spent(): number {
    return Atomics.load(this.#spent, 0)
  }

  /** Set aside before asking, so that lanes that ask at the same time stay within it together. */
  reserve(tokens: number): boolean {
    const before = Atomics.add(this.#spent, 0, tokens)
    if (before + tokens <= this.limit) return true
    Atomics.sub(this.#spent, 0, tokens)
    return false
  }

  /** What was set aside becomes what it was in the end. */
  settle(reserved: number, used: number): void {
    Atomics.add(this.#spent, 0, used - reserved)
  }
}
