// Limits how long a scrape waits for a store or another process; the rest is reported without it.

/** Prometheus usually times out after ten seconds. */
const patienceMs = 3_000

/** Returns `otherwise` on failure or timeout. */
export async function inTime<Value, Otherwise>(
  asked: Promise<Value>,
  otherwise: Otherwise,
): Promise<Value | Otherwise> {
  const late = Promise.withResolvers<Otherwise>()
  const timer = setTimeout(() => late.resolve(otherwise), patienceMs)
  return Promise.race([asked.catch(() => otherwise), late.promise]).finally(() => clearTimeout(timer))
}
