// Fields of a JSON Schema found by their names in records of feeds, PDFs and other pages without markup.
import { isObject } from '../../../model/json.ts'
import type { Json, RecordData } from '../../../model/record.ts'
import { coerce } from '../../../normalize/index.ts'
import { fieldTypeOf, isList, itemOf, type JsonSchema, propertiesOf } from './schema-shape.ts'

/** Makes names comparable: `invoiceNumber`, `invoice_number` and "Invoice number" become the same. */
const plainName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** Names that callers use, ignoring letter case. Each has a list of the record fields that match it, best match
 *  first. */
const kin: ReadonlyArray<[asked: RegExp, fields: string[]]> = [
  [/^(?:title|name|headline)$/, ['title']],
  [/^(?:url|link|href|address|permalink)$/, ['link', 'final_url', 'url']],
  [
    /^(?:date|time|published\w*|publish\w*|pubdate|created\w*)$/,
    ['published_at', 'created_at', 'updated_at'],
  ],
  [/^(?:updated\w*|modified\w*)$/, ['updated_at', 'modified_at']],
  [/^(?:author|authors|creator|by|writer)$/, ['author']],
  [/^(?:description|summary|excerpt|abstract|subject)$/, ['description']],
  [/^(?:content|body|text|fulltext)$/, ['text', 'description']],
  [/^(?:categories|category|tags)$/, ['categories']],
  [/^(?:pagecount|pages|numberofpages)$/, ['pages']],
]

/** The fields of a schema. `entries` are the records of a feed. If `entries` is empty, `data` is the record of a PDF or
 *  text. */
export function recordFields(
  data: RecordData,
  entries: readonly RecordData[],
  schema: JsonSchema,
): RecordData {
  const fields = Object.entries(propertiesOf(schema)).map(([name, property]): [string, Json] => [
    name,
    isList(property)
      ? listOf(data, entries, name, itemOf(property))
      : (valueIn(data, name, property) ?? null),
  ])
  return Object.fromEntries(fields)
}

function listOf(data: RecordData, entries: readonly RecordData[], name: string, item: JsonSchema): Json[] {
  const own = data[name]
  if (Array.isArray(own) && entries.length === 0) return own
  if (!isObject(item.properties))
    return entries.length > 0 ? entries.flatMap(entry => valueIn(entry, name, item) ?? []) : []
  const objects = entries.map(entry =>
    Object.entries(propertiesOf(item)).map(([field, property]): [string, Json] => [
      field,
      valueIn(entry, field, property),
    ]),
  )
  return objects.map(fields => Object.fromEntries(fields)).filter(hasValue)
}

export const hasValue = (found: RecordData): boolean => Object.values(found).some(value => value !== null)

/** The value of a field: from a field of the record, a field of a PDF form, or a text line "name: value", in this order. */
function valueIn(data: RecordData, name: string, property: JsonSchema): Json {
  for (const value of [...stated(data, name), ...inForm(data, name), ...inLines(data, name)]) {
    const found = readAs(value, property, data)
    if (found !== null) return found
  }
  return null
}

function stated(data: RecordData, name: string): Json[] {
  const plain = plainName(name)
  const about = isObject(data.metadata) ? (data.metadata as RecordData) : {}
  // Look in the related fields of `kin` before the field of the same name. For example, the `url` of a feed entry is its
  // link, but the record field `url` is the URL of the feed.
  const names = [...(kin.find(([asked]) => asked.test(plain))?.[1] ?? []), name]
  return names
    .flatMap(each => [data[each], about[each]])
    .filter(value => value !== undefined && value !== null)
}

function inForm({ form }: RecordData, name: string): Json[] {
  if (!Array.isArray(form)) return []
  const plain = plainName(name)
  return form.flatMap(field => {
    if (!isObject(field)) return []
    const names = [field.name, field.label].map(each => plainName(String(each ?? '')))
    return names.includes(plain) ? [field.value as Json] : []
  })
}

const longestLabel = 60

function inLines({ text }: RecordData, name: string): Json[] {
  if (typeof text !== 'string') return []
  const plain = plainName(name)
  for (const line of text.split('\n')) {
    const colon = line.search(/[:：]/)
    if (colon > 0 && colon <= longestLabel && plainName(line.slice(0, colon)) === plain)
      return [line.slice(colon + 1)]
  }
  return []
}

function readAs(value: Json, property: JsonSchema, data: RecordData): Json {
  if (typeof value === 'object') return value
  const url = String(data.final_url ?? data.url ?? 'https://page.invalid/')
  const language = typeof data.language === 'string' ? data.language : null
  const found = coerce(String(value), fieldTypeOf(property), { baseUrl: url, language, machine: false })
  return found === '' ? null : found
}
