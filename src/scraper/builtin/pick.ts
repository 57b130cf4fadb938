// Picks a field from several candidates, the best first, and stores its source.
import type { FieldSource, Json } from '../../model/record.ts'
import type { PageView } from '../page-view.ts'

/** A value that was found on a page, with its source. */
export interface Candidate {
  from: FieldSource['from']
  by: string
  value: Json
}

export interface Picked<Value> {
  value: Value | null
  source: FieldSource
}

/** The first candidate that `read` can convert. */
export function pick<Value>(
  read: (found: Json) => Value | null,
  ...places: ReadonlyArray<readonly Candidate[]>
): Picked<Value> {
  for (const { from, by, value } of places.flat()) {
    const found = value === null ? null : read(value)
    if (found !== null) return { value: found, source: { from, by } }
  }
  const looked = [...new Set(places.flat().map(({ by }) => by))].join(', ')
  return { value: null, source: { from: 'none', why: looked ? `not in ${looked}` : 'the page does not say' } }
}

/** The record of picked fields with their sources. */
export function recordOf<Fields extends Record<string, Picked<unknown>>>(fields: Fields) {
  const entries = Object.entries(fields)
  return [
    Object.fromEntries(entries.map(([name, { value }]) => [name, value])) as {
      [Name in keyof Fields]: Fields[Name]['value']
    },
    Object.fromEntries(entries.map(([name, { source }]) => [name, source])) as Record<
      keyof Fields,
      FieldSource
    >,
  ] as const
}

export const css = (page: PageView, ...selectors: string[]): Candidate[] =>
  selectors.map(by => ({ from: 'css', by, value: page.text(by) }))

export const attribute = (page: PageView, selector: string, name: string): Candidate[] => [
  { from: 'css', by: `${selector} @${name}`, value: page.attr(selector, name) },
]

export const meta = (page: PageView, ...names: string[]): Candidate[] =>
  names.map(by => ({ from: 'meta', by, value: page.meta(by) }))

/** Values at a path, from the structured data of these types: `things(page, ['Product'], 'offers.price')`. */
export function things(page: PageView, types: readonly string[], path: string): Candidate[] {
  const steps = path.split('.')
  return types.flatMap(type =>
    page
      .things(type)
      .flatMap(({ from, properties }) =>
        valuesAt(properties, steps).map(value => ({ from, by: `${type}.${path}`, value })),
      ),
  )
}

/** All values at a path. Lists on the way are flattened. */
export function valuesAt(value: Json | undefined, steps: readonly string[]): Json[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value.flatMap(item => valuesAt(item, steps))
  const [step, ...rest] = steps
  if (step === undefined) return [value]
  return typeof value === 'object' ? valuesAt(value[step], rest) : []
}

/** A value as text. For an object, its name. */
export function textOf(value: Json | undefined): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return value.map(textOf).find(text => text !== null) ?? null
  return textOf(value.name ?? value['@value'] ?? value.value ?? value.url ?? value['@id'])
}
