// Waits for a promise with a time limit.

/** Whether it settled in time. The work continues, but its result is ignored. */
export async function settledWithin(work: PromiseLike<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  // Check once more after the timer: this process may have been suspended.
  const timer = setTimeout(() => setImmediate(late.resolve, false), ms)
  const ended = () => true
  try {
    return await Promise.race([work.then(ended, ended), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
