// Splits a long value over several labels. APIs and monitors store data with their jobs in this way.
import { jsonIn } from '../../model/json.ts'

const longest = 1_000

/** The labels are `name`, `name.1`, `name.2`, … */
export function longLabels(name: string, value: unknown): Record<string, string> {
  const text = JSON.stringify(value)
  const count = Math.ceil(text.length / longest)
  const parts = Array.from({ length: count }, (_, index) =>
    text.slice(index * longest, (index + 1) * longest),
  )
  return Object.fromEntries(parts.map((part, index) => [index === 0 ? name : `${name}.${index}`, part]))
}

/** Null if the value is missing or unreadable. */
export function readLongLabels<Value>(labels: Readonly<Record<string, unknown>>, name: string): Value | null {
  let text = String(labels[name] ?? '')
  for (let index = 1; labels[`${name}.${index}`] !== undefined; index += 1)
    text += String(labels[`${name}.${index}`])
  return (jsonIn(text) ?? null) as Value | null
}
