// Waits for a promise with a time limit.

/** True if the promise settled in time. Otherwise the work continues, but its result is ignored. */
export async function settledWithin(work: PromiseLike<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  // When the timer fires, handle pending events once more. If the process was suspended, the promise may be about to
  // settle.
  const timer = setTimeout(() => setImmediate(late.resolve, false), ms)
  const ended = () => true
  try {
    return await Promise.race([work.then(ended, ended), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
