// Locks between processes, for work that should run once at a time. Running it twice is only wasteful.

interface LockOptions {
  /** How long to wait for another holder. After that, the work runs without the lock. */
  waitMs?: number
}

/**
 * Runs `work` while no other process runs work under this name. The lock lasts as long as the work and expires soon after its holder
 * dies. If the lock service is down, or the holder takes longer than `waitMs`, the work runs without the lock.
 */
export type UnderLock = <Value>(
  name: string,
  work: () => Promise<Value>,
  options?: LockOptions,
) => Promise<Value>
