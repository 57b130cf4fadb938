// What a store or another process is asked for when someone looks: where it is away or slow, the rest is told without it.

/** Prometheus gives up after ten seconds, as a rule. */
const patienceMs = 3_000

/** `otherwise` when it fails or does not come in time. */
export async function inTime<Value, Otherwise>(
  asked: Promise<Value>,
  otherwise: Otherwise,
): Promise<Value | Otherwise> {
  const late = Promise.withResolvers<Otherwise>()
  const timer = setTimeout(() => late.resolve(otherwise), patienceMs)
  return Promise.race([asked.catch(() => otherwise), late.promise]).finally(() => clearTimeout(timer))
}
