// Joins concurrent writes into one transaction with one sync. Each write still succeeds or fails on its own.
import type { Connection } from './connection.ts'

interface Waiting {
  /** Runs in the transaction. Returns a function that reports the result when the transaction is durable. */
  attempt: () => () => void
  fail: (error: unknown) => void
}

export class GatheredWrites {
  readonly #connection: Connection
  #waiting: Waiting[] = []

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Writes of the same event loop turn share a transaction. */
  add<Result>(work: () => Result): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const attempt = () => {
      try {
        const result = this.#connection.attempt(work)
        return () => resolve(result)
      } catch (error) {
        return () => reject(error)
      }
    }
    if (this.#waiting.push({ attempt, fail: reject }) === 1) setImmediate(() => this.#writeAll())
    return promise
  }

  #writeAll(): void {
    const group = this.#waiting
    this.#waiting = []
    try {
      const answers = this.#connection.write(() => group.map(({ attempt }) => attempt()))
      for (const answer of answers) answer()
    } catch (error) {
      for (const { fail } of group) fail(error)
    }
  }
}
