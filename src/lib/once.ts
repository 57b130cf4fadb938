// Computes a value on first use and caches it.

export function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null
  return () => {
    made ??= make()
    return made
  }
}
