// Locks between processes: for work that two processes should not do at once, although both doing it is harmless.

export interface LockOptions {
  /** How long to wait for another holder before the work is done without the lock. */
  waitMs?: number
}

/**
 * Does the work while no other process does any under this name. The lock lasts as long as the work, and ends soon after its holder
 * dies. If the lock service is down, or the holder takes longer than `waitMs`, the work is done without the lock.
 */
export type UnderLock = <Value>(
  name: string,
  work: () => Promise<Value>,
  options?: LockOptions,
) => Promise<Value>
