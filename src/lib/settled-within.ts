// Waiting for what may never end, and for no longer than that.

/** Whether it ended in time, well or badly. What it is about goes on; nobody hears of its end any more. */
export async function settledWithin(work: PromiseLike<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  // After a look at what has come: this process may have stood still, not who is waited for.
  const timer = setTimeout(() => setImmediate(late.resolve, false), ms)
  const ended = () => true
  try {
    return await Promise.race([work.then(ended, ended), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
