// Limits how long a scrape waits for the store or another process. If one of them does not respond in time, the scrape still
// reports the other metrics.

/** The timeout. Prometheus itself usually times out after ten seconds. */
const patienceMs = 3_000

/** Resolves with the value, or with `otherwise` on failure or timeout. */
export async function inTime<Value, Otherwise>(
  asked: Promise<Value>,
  otherwise: Otherwise,
): Promise<Value | Otherwise> {
  const late = Promise.withResolvers<Otherwise>()
  const timer = setTimeout(() => late.resolve(otherwise), patienceMs)
  return Promise.race([asked.catch(() => otherwise), late.promise]).finally(() => clearTimeout(timer))
}
