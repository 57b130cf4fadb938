// Clock: the current time and timers. Tests use a fake one.

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after `ms`, rejects with the signal's reason if aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
