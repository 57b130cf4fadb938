// A queue of jobs to adopt. No job is in the queue twice. While the store or Redis is down, its adoption is retried.
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
        // If this process stops before the retry, the next process finds the job in the store and adopts it.
        if (isAway(asFailure(error))) setTimeout(() => this.soon(jobId), againMs).unref()
      })
  }
}
