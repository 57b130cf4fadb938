// The compiled form of rules: parsed selectors, split paths, prepared provenance.
import type { FieldType } from '../../model/extraction-rules.ts'
import type { FieldSource, Json } from '../../model/record.ts'
import type { Selector, XPath } from '../document/index.ts'
import type { JsonLdPath } from '../json-ld-path.ts'

/** Where to find a value. `here` is the scope element: the row of `each`, or the scope of a nested object. */
export type Lookup =
  | { by: 'css'; selector: Selector }
  | { by: 'xpath'; xpath: XPath }
  | { by: 'jsonld'; path: JsonLdPath }
  | { by: 'meta'; name: string }
  | { by: 'source' }
  | { by: 'here' }

export interface CompiledField {
  name: string
  lookup: Lookup
  attribute: string | null
  /** `h1::text`: the text, even if the type prefers an attribute. */
  wantsText: boolean
  many: boolean
  as: FieldType
  /** Whether the rule has a type; otherwise JSON-LD keeps its own types. */
  isTyped: boolean
  regex: { pattern: string; flags: string } | null
  /** Replaces a missing value; undefined if the rule has none. */
  fallback: Json | undefined
  required: boolean
  /** Worth asking a model for, but the record stays without it. */
  wanted: boolean
  /** The meaning of the field, for a model. */
  hint: string | null
  fields: CompiledField[] | null
  /** Shared by all records, to avoid an object per field. */
  found: FieldSource
  missing: FieldSource
}

export interface CompiledRules {
  each: Lookup | null
  fields: CompiledField[]
  /** The caller's prompt, for a model. */
  prompt: string | null
  /** Whether the rules need the regex thread; otherwise they run synchronously. */
  usesRegex: boolean
}
