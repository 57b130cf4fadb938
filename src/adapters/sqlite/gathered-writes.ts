// Writes that come together are made together: one transaction, one sync of the disk, and each still succeeds or fails by itself.
import type { Connection } from './connection.ts'

interface Waiting {
  /** Inside the transaction. Returns what tells the caller how it went, once all of it is durable. */
  attempt: () => () => void
  fail: (error: unknown) => void
}

export class GatheredWrites {
  readonly #connection: Connection
  #waiting: Waiting[] = []

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** What comes in the same turn of the event loop shares a transaction. */
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
