// Limits the size of a reader's result. If V8 runs out of memory while a lane's thread deserializes the result, V8 ends the
// whole process.
import { Failure } from '../../model/failures.ts'

/** Maximum number of keys in a result. A lane has 128 MB. In a large object, a key and its provenance take about 200 bytes. */
export const mostKeys = 250_000

/** Throws if all objects in the result together have more keys than fit into a lane. */
export function checkKeys(answer: unknown, url: string): void {
  const keys = countKeys(answer)
  if (keys <= mostKeys) return
  const message = `the records of ${url} have ${keys} or more fields, more than ${mostKeys}; extract fewer fields`
  throw new Failure('page.too-costly', message, { url, mostKeys })
}

/** Stops soon after the limit is reached. Uses a list instead of recursion, because nesting may be deep. */
function countKeys(answer: unknown): number {
  const open: unknown[] = [answer]
  let keys = 0
  while (open.length > 0 && keys <= mostKeys) {
    const value = open.pop()
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) continue
    const inside = Object.values(value)
    if (!Array.isArray(value)) keys += inside.length
    for (const one of inside) if (typeof one === 'object' && one !== null) open.push(one)
  }
  return keys
}
