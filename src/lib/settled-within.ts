// Waits for a promise with a time limit.

/** True if the promise settled in time. Otherwise the work continues, but its result is ignored. */
export async function settledWithin(work: PromiseLike<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  // When the timer fires, let pending events run once more: this process may have been suspended.
  const timer = setTimeout(() => setImmediate(late.resolve, false), ms)
  const ended = () => true
  try {
    return await Promise.race([work.then(ended, ended), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
