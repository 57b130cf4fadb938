// The compiled form of rules: parsed selectors, split paths, and prepared provenance.
import type { FieldType } from '../../model/extraction-rules.ts'
import type { FieldSource, Json } from '../../model/record.ts'
import type { Selector, XPath } from '../document/index.ts'
import type { JsonLdPath } from '../json-ld-path.ts'

/** Where to find a value. `here` means the scope element: the row of `each`, or the scope of a nested object. */
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
  /** True for `h1::text`: read the text, even if the type prefers an attribute. */
  wantsText: boolean
  many: boolean
  as: FieldType
  /** True if the rule sets a type. Otherwise JSON-LD values keep their own types. */
  isTyped: boolean
  regex: { pattern: string; flags: string } | null
  /** The default value in the rule; undefined if it has none. */
  fallback: Json | undefined
  required: boolean
  /** True if a model is asked for a missing value even though the field is not required. */
  wanted: boolean
  /** The meaning of the field, as a hint for a model. */
  hint: string | null
  fields: CompiledField[] | null
  /** Provenance of the field, for a found and for a missing value. All records share these two objects, which
   *  saves memory. */
  found: FieldSource
  missing: FieldSource
}

export interface CompiledRules {
  each: Lookup | null
  fields: CompiledField[]
  /** The caller's prompt for a model; null if there is none. */
  prompt: string | null
  /** True if the rules need the regex thread. Otherwise they run synchronously. */
  usesRegex: boolean
}
