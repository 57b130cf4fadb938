// The source of a field's value as text.
import type { FieldSource } from '../model/record.ts'

/** For example `css h1`, or the reason why there is no value. */
export function sourceText({ from, by, why, wrong }: FieldSource): string {
  const source = by ? `${from} ${by}` : from
  if (wrong !== undefined) return `left out: ${wrong} (${source})`
  if (why === undefined) return source
  return by ? `${why} (${by})` : why
}
