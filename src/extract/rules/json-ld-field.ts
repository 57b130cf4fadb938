// Values of a `jsonld` rule. They keep their own type, or are converted to the type of the rule.

import type { Coerce, CoerceContext, FieldType } from '../../model/extraction-rules.ts'
import { isObject } from '../../model/json.ts'
import type { Json } from '../../model/record.ts'
import { findJsonLd, type JsonLdPath, type JsonLdValue, jsonLdText } from '../json-ld-path.ts'
import type { PageFacts } from '../page-facts.ts'
import type { CompiledField } from './compiled-rules.ts'

export function jsonLdValues(
  facts: PageFacts,
  field: CompiledField,
  coerce: Coerce,
  context: CoerceContext,
): Json[] {
  const path = (field.lookup as { path: JsonLdPath }).path
  const values: Json[] = []
  for (const found of findJsonLd(facts.jsonLd, path)) {
    const value = field.isTyped ? typed(found, field.as, coerce, context) : own(found.value, coerce, context)
    if (value !== null && value !== '') values.push(value)
    if (values.length > 0 && !field.many) break
  }
  return values
}

/** Without a type in the rule, values keep their own type. Only text is cleaned. */
function own(value: Json, coerce: Coerce, context: CoerceContext): Json {
  return typeof value === 'string' ? coerce(value, 'text', context) : value
}

function typed(found: JsonLdValue, as: FieldType, coerce: Coerce, context: CoerceContext): Json {
  const { value } = found
  if (typeof value === 'boolean' && as === 'boolean') return value
  if (typeof value === 'number' && as === 'number') return value
  const text = as === 'location' ? placeText(value) : jsonLdText(value)
  if (text === null) return null
  return as === 'money' ? price(text, found, coerce, context) : coerce(text, as, context)
}

/** The address of a place as text: its parts in the order in which people write them. */
function placeText(value: Json): string | null {
  if (!isObject(value)) return jsonLdText(value)
  const address = value.address ?? value
  if (!isObject(address)) return jsonLdText(address)
  const { addressLocality = null, addressRegion = null, addressCountry = null } = address
  const parts = [addressLocality, addressRegion, addressCountry].map(jsonLdText)
  return parts.filter(part => part !== null).join(', ') || jsonLdText(value)
}

/** In schema.org, the currency is a property next to the price. */
function price(text: string, { value, holder }: JsonLdValue, coerce: Coerce, context: CoerceContext): Json {
  const offer = isObject(value) ? value : holder
  const currency = offer?.priceCurrency ?? offer?.currency
  return coerce(typeof currency === 'string' ? `${currency} ${text}` : text, 'money', context)
}
