// Gives one name to every schema that occurs several times in the OpenAPI document. The document stays short, and
// generated clients get one type for each schema.
import { isObject } from '../../model/json.ts'
import { isData, type Schema } from './describe-fields.ts'

interface Described {
  paths: unknown
  schemas: Record<string, unknown>
}

/** Schemas with fewer characters of JSON stay inline, because a name would not make them easier to read. */
const smallest = 200

const prefix = '#/components/schemas/'

/** Keys that may differ between two uses of the same schema. They stay at the place of use. */
const ownWords = ['description', 'default']

/** Moves object schemas that occur several times into `schemas`, and replaces each use by a reference. */
export function withSharedSchemas({ paths, schemas }: Described): Described {
  const names = namesOf({ paths, schemas })
  const moved: Record<string, unknown> = {}
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replaced)
    if (!isObject(value)) return value
    const name = names.get(keyOf(value))
    if (!name) return inner(value)
    moved[name] ??= inner(value)
    const words = Object.fromEntries(Object.entries(value).filter(([key]) => ownWords.includes(key)))
    return { ...words, $ref: prefix + name }
  }
  const inner = (value: Schema): Schema =>
    mapValues(renamed(value, schemas, names), (entry, key) => (isData(key) ? entry : replaced(entry)))

  const left = replaced(paths)
  for (const [name, schema] of Object.entries(schemas)) {
    const known = isObject(schema) ? names.get(keyOf(schema)) : undefined
    if (known) replaced(schema)
    else moved[name] = isObject(schema) ? inner(schema) : schema
  }
  return { paths: left, schemas: moved }
}

/** If `value` refers to a component that equals other components, returns a reference to their shared name instead. */
function renamed(value: Schema, schemas: Record<string, unknown>, names: Map<string, string>): Schema {
  if (typeof value.$ref !== 'string') return value
  const target = schemas[value.$ref.slice(prefix.length)]
  const name = isObject(target) ? names.get(keyOf(target)) : undefined
  return name ? { ...value, $ref: prefix + name } : value
}

interface Place {
  key: string
  /** The property names that lead to the schema, starting with the component. */
  trail: string[]
}

/** Maps the content of each schema to its name. */
function namesOf({ paths, schemas }: Described): Map<string, string> {
  const names = new Map<string, string>()
  for (const [name, schema] of Object.entries(schemas))
    if (isObjectSchema(schema) && !names.has(keyOf(schema))) names.set(keyOf(schema), name)
  const taken = new Set(Object.keys(schemas))
  // Schemas of bodies and results are in `schemas` already. The schemas that are still in `paths` are errors of the
  // scrape API, which has its own error format.
  const places = [
    ...Object.entries(schemas).flatMap(([name, schema]) =>
      [...placesIn(schema, [name])].filter(({ trail }) => trail.length > 1),
    ),
    ...placesIn(paths, ['Scrape', 'Problem']),
  ]
  const counts = Map.groupBy(places, ({ key }) => key)
  for (const { key, trail } of places) {
    if (names.has(key) || counts.get(key)!.length < 2) continue
    const name = freeName(trail, taken)
    taken.add(name)
    names.set(key, name)
  }
  return names
}

/** Every object schema in a value, including the value itself. */
function* placesIn(value: unknown, trail: string[]): Generator<Place> {
  if (Array.isArray(value)) for (const entry of value) yield* placesIn(entry, trail)
  if (!isObject(value)) return
  if (isObjectSchema(value)) yield { key: keyOf(value), trail }
  for (const [key, entry] of Object.entries(value)) {
    if (key === 'properties' && isObject(entry))
      for (const [name, property] of Object.entries(entry))
        yield* placesIn(property, [...trail, typeName(name)])
    else if (!isData(key))
      yield* placesIn(entry, key === 'items' ? [...trail.slice(0, -1), one(trail.at(-1)!)] : trail)
  }
}

/** A free name for a schema. Takes as few names from the end of the trail as possible: `Limits`, then `PolicyLimits`. */
function freeName(trail: string[], taken: ReadonlySet<string>): string {
  for (let length = 1; length <= trail.length; length++) {
    const name = trail.slice(-length).join('')
    if (!taken.has(name)) return name
  }
  const longest = trail.join('')
  for (let number = 2; ; number++) if (!taken.has(longest + number)) return longest + number
}

const typeName = (property: string): string =>
  property.replace(/(?:^|_)([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase()).replace(/\W/g, '')

/** The singular of a name: `Entries` → `Entry`, `Jobs` → `Job`. */
const one = (name: string): string =>
  name.endsWith('ies')
    ? `${name.slice(0, -3)}y`
    : /(?:ss|x|ch|sh)es$/.test(name)
      ? name.slice(0, -2)
      : name.replace(/(?<!s)s$/, '')

/** The content of a schema as a comparison key. Leaves out the keys that may differ between two uses. */
const keyOf = (schema: Schema): string =>
  JSON.stringify({ ...schema, description: undefined, default: undefined, examples: undefined })

const isObjectSchema = (value: unknown): value is Schema =>
  isObject(value) && isObject(value.properties) && keyOf(value).length >= smallest

const mapValues = (value: Schema, map: (entry: unknown, key: string) => unknown): Schema =>
  Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, map(entry, key)]))
