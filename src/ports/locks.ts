// Locks between processes: for what must not be changed by two at once, and would survive it. A hint like the queue.

/**
 * Does the work while nobody else does any under this name. When whoever keeps the locks is away, or a holder takes too long, the work is
 * done all the same: only for changes that may be lost.
 */
export type UnderLock = <Value>(name: string, work: () => Promise<Value>) => Promise<Value>
