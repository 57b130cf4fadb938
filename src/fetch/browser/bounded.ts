// Waits with a limit. Every promise that depends on a browser is awaited through this module.
import { offAbort, onAbort } from '../../lib/abort-handlers.ts'

/** Settles like `work`, or rejects with the signal's reason if the signal is aborted first. The work itself is not
 *  cancelled. */
export async function raced<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  // A late rejection must not crash the process.
  work.catch(() => {})
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  onAbort(signal, stop)
  try {
    return await Promise.race([work, promise])
  } finally {
    offAbort(signal, stop)
  }
}

/** Reports how the work ended within `ms`: done, failed or late. Never rejects. */
export async function within(ms: number, work: Promise<unknown>): Promise<'done' | 'failed' | 'late'> {
  using limit = limitOf(ms, new Error('too late'))
  try {
    await raced(work, limit.signal)
    return 'done'
  } catch {
    return limit.signal.aborted ? 'late' : 'failed'
  }
}

export const doneWithin = async (ms: number, work: Promise<unknown>): Promise<boolean> =>
  (await within(ms, work)) === 'done'

/** Returns a signal that aborts with `reason` after `ms`, or with the reason of `parent` if that aborts first.
 *  `uncountedMs` returns how long the work paused so far. The limit is extended by that time. Dispose to stop the
 *  timer. */
export function limitWithin(
  parent: AbortSignal,
  ms: number,
  reason: Error,
  uncountedMs: () => number = () => 0,
): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  const stop = () => controller.abort(parent.reason)
  let added = 0
  const late = () => {
    const further = uncountedMs() - added
    if (further < 1) return controller.abort(reason)
    added += further
    timer = setTimeout(late, further)
  }
  let timer = setTimeout(late, ms)
  if (parent.aborted) stop()
  else onAbort(parent, stop)
  const dispose = () => {
    clearTimeout(timer)
    offAbort(parent, stop)
  }
  return { signal: controller.signal, [Symbol.dispose]: dispose }
}

/** Returns a signal that aborts with `reason` after `ms`. Dispose to stop the timer. */
export function limitOf(ms: number, reason: Error): Disposable & { signal: AbortSignal } {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(reason), ms).unref()
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) }
}
