// Locks between processes. They prevent duplicate work, but correctness must not depend on them.

interface LockOptions {
  /** How long to wait while another process has the lock. After that, the work runs without the lock. */
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
