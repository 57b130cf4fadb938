// How many people work somewhere, as pages say it → `51-200`, `10001+` or a number alone.
import type { Json } from '../../model/record.ts'

const number = /\d[\d.,' \u00a0]*\d|\d/g

export function employeeRange(found: Json): string | null {
  if (typeof found === 'object' && found !== null && !Array.isArray(found)) return fromObject(found)
  if (typeof found !== 'string' && typeof found !== 'number') return null
  return fromText(String(found))
}

function fromObject(value: { [key: string]: Json }): string | null {
  const { minValue, maxValue } = value
  if (minValue !== undefined && maxValue !== undefined) return fromText(`${minValue}-${maxValue}`)
  if (minValue !== undefined) return fromText(`${minValue}+`)
  return employeeRange(value.value ?? maxValue ?? null)
}

function fromText(text: string): string | null {
  const [least, most] = [...text.matchAll(number)].map(found => found[0].replace(/\D/g, ''))
  if (!least) return null
  if (most && Number(most) > Number(least)) return `${Number(least)}-${Number(most)}`
  const isOpen = /\d\s?\+|\b(?:over|more than|mehr als|above|at least)\b/i.test(text)
  return `${Number(least)}${isOpen ? '+' : ''}`
}
