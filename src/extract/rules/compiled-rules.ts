// Rules made ready to run: selectors parsed, paths split, what a record will say about its sources written down.
import type { FieldType } from '../../model/extraction-rules.ts'
import type { FieldSource, Json } from '../../model/record.ts'
import type { Selector, XPath } from '../document/index.ts'
import type { JsonLdPath } from '../json-ld-path.ts'

/** Where a field's value is looked for. `here` is the element at hand: the row of `each`, or the scope of a nested object. */
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
  /** `h1::text`: the text, also where the type would rather have an attribute. */
  wantsText: boolean
  many: boolean
  as: FieldType
  /** Whether the rule names its type; JSON-LD keeps its own types otherwise. */
  isTyped: boolean
  regex: { pattern: string; flags: string } | null
  /** Stands in for a value that is missing; undefined when the rule names none. */
  fallback: Json | undefined
  required: boolean
  /** Worth asking a model for, but the record stays without it. */
  wanted: boolean
  /** What the field means, for a model. */
  hint: string | null
  fields: CompiledField[] | null
  /** Shared by all records, so that a found field costs no object. */
  found: FieldSource
  missing: FieldSource
}

export interface CompiledRules {
  each: Lookup | null
  fields: CompiledField[]
  /** What the caller wants, for a model. */
  prompt: string | null
  /** Whether a page needs the regex thread; without it rules run in one go, without a promise. */
  usesRegex: boolean
}
