// Jobs that are to be taken in hand: each waits once for its turn, and is tried again while what we stand on is away.
import { asFailure, isAway } from '../model/failures.ts'

const againMs = 1_000

export class AdoptionQueue {
  readonly #adopt: (jobId: string) => Promise<void>
  readonly #waiting = new Set<string>()

  constructor(adopt: (jobId: string) => Promise<void>) {
    this.#adopt = adopt
  }

  soon(jobId: string): void {
    if (this.#waiting.has(jobId)) return
    this.#waiting.add(jobId)
    this.#adopt(jobId)
      .finally(() => this.#waiting.delete(jobId))
      .catch(error => {
        // When we stop it is durable, and the next process takes it up.
        if (isAway(asFailure(error))) setTimeout(() => this.soon(jobId), againMs).unref()
      })
  }
}
