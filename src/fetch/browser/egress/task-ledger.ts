// Failures and received bytes of the context's current task.
import { asFailure, Failure } from '../../../model/failures.ts'
import { type ProxyTarget, placeOf } from './target.ts'

export interface FailedTarget {
  /** Null if the request could not be parsed. */
  target: ProxyTarget | null
  failure: Failure
}

interface TaskLedgerOptions {
  maxTaskBytes: number
  onFailed?: ((failed: FailedTarget) => void) | undefined
}

const maxFailuresKept = 100

export class TaskLedger {
  readonly #options: TaskLedgerOptions
  readonly #receivedInAll: () => number
  #receivedBefore = 0
  #failures: FailedTarget[] = []

  constructor(options: TaskLedgerOptions, receivedInAll: () => number) {
    this.#options = options
    this.#receivedInAll = receivedInAll
  }

  get failures(): readonly FailedTarget[] {
    return this.#failures
  }

  begin(): void {
    this.#failures = []
    this.#receivedBefore = this.#receivedInAll()
  }

  /** The failure if the task has received more bytes than allowed; null otherwise. */
  overdrawn(): Failure | null {
    const { maxTaskBytes } = this.#options
    if (this.#receivedInAll() - this.#receivedBefore <= maxTaskBytes) return null
    const message = `The page and its parts sent more than ${maxTaskBytes} bytes, the limit of one task`
    return new Failure('body.too-large', message, { maxTaskBytes })
  }

  note(target: ProxyTarget | null, error: unknown): Failure {
    const failure = asFailure(error)
    this.#failures = [...this.#failures, { target, failure }].slice(-maxFailuresKept)
    this.#options.onFailed?.({ target, failure })
    return failure
  }

  failureOf(text: string): Failure | null {
    const url = URL.parse(text)
    if (url === null) return null
    const { host, port } = placeOf(url)
    const found = this.#failures.findLast(({ target }) => target?.host === host && target.port === port)
    return found?.failure ?? this.overdrawn()
  }
}
