// Extraction rules: how users describe fields in YAML or JSON.
import * as z from 'zod'
import type { Json } from './record.ts'

export const fieldTypes = [
  'text',
  'number',
  'integer',
  'boolean',
  'date',
  'url',
  'html',
  'money',
  'email',
  'phone',
  'location',
] as const
export type FieldType = (typeof fieldTypes)[number]

/** One way to find a field. It has exactly one of `css`, `xpath`, `jsonld`, `meta`, `regex` or `fields` (nested). */
export interface FieldRule {
  css?: string | undefined
  xpath?: string | undefined
  /** A path like `Product.offers.price`; the first part is the `@type`. */
  jsonld?: string | undefined
  /** Name or property of a meta element. */
  meta?: string | undefined
  /** Searches the page's source, or the text found by `css`/`xpath`. Gives the first group, or the whole match. */
  regex?: string | undefined
  attr?: string | undefined
  many?: boolean | undefined
  as?: FieldType | undefined
  default?: unknown
  required?: boolean | undefined
  /** If the field has no value, a model is asked for one, as for a required field. A record without this field is still valid. */
  wanted?: boolean | undefined
  /** The meaning of the field, for a model. */
  hint?: string | undefined
  /** The fields of a nested object. With `css`, they are searched inside that element. */
  fields?: Record<string, string | FieldRule> | undefined
}

/** Names with a special meaning in JavaScript objects. */
const reservedNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

const fieldName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_-]{0,99}$/, 'a field name of letters, digits, "_" and "-"')
  .refine(name => !reservedNames.has(name), 'JavaScript reserves this name; choose another one')

export const maxHint = 2_000
export const maxPrompt = 10_000

const fieldRuleObject: z.ZodType<FieldRule> = z.lazy(() =>
  z.strictObject({
    css: z.string().min(1).max(100_000).optional(),
    xpath: z.string().min(1).max(10_000).optional(),
    jsonld: z.string().min(1).max(1_000).optional(),
    meta: z.string().min(1).max(200).optional(),
    regex: z.string().min(1).max(1_000).optional(),
    attr: z.string().min(1).max(200).optional(),
    many: z.boolean().optional(),
    as: z.enum(fieldTypes).optional(),
    default: z.unknown().optional(),
    required: z.boolean().optional(),
    wanted: z.boolean().optional(),
    hint: z.string().max(maxHint).optional(),
    fields: z.record(fieldName, fieldRule).optional(),
  }),
)
/** A bare string is a CSS selector. */
const fieldRule: z.ZodType<string | FieldRule> = z
  .union([z.string().min(1).max(100_000), fieldRuleObject])
  .meta({ id: 'FieldRule' })

export const extractionRules = z.strictObject({
  /** A selector; each match is one record with the fields inside it. */
  each: z.string().min(1).max(10_000).optional(),
  fields: z.record(fieldName, fieldRule),
  /** The caller's instructions, for a model. */
  prompt: z.string().max(maxPrompt).optional(),
})
export type ExtractionRules = z.infer<typeof extractionRules>

/** The same rules, but no field is required. */
export const withoutRequired = (rules: ExtractionRules): ExtractionRules => ({
  ...rules,
  fields: noneRequired(rules.fields),
})

const noneRequired = (fields: Record<string, string | FieldRule>): Record<string, string | FieldRule> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, rule]) => [
      name,
      typeof rule === 'string'
        ? rule
        : { ...rule, required: false, ...(rule.fields && { fields: noneRequired(rule.fields) }) },
    ]),
  )

/** CSS selectors of required fields: a page is not ready without them. */
export function requiredSelectors({ each, fields }: ExtractionRules): string[] {
  const own = Object.values(fields).flatMap(rule =>
    typeof rule !== 'string' && rule.required === true && rule.css !== undefined ? [rule.css] : [],
  )
  return own.length > 0 && each !== undefined && isCss(each) ? [each] : own.map(withoutPseudo)
}

/** Removes `::text` and `::attr(href)` at the end. They are our extensions, which browsers do not know. */
const withoutPseudo = (selector: string): string => selector.replace(/::(?:text|attr\([^)]*\))\s*$/, '')

const isCss = (selector: string): boolean => !/^\(?\//.test(selector)

/** Facts about the page that decide how text is converted to a type. */
export interface CoerceContext {
  /** The base of relative URLs. */
  baseUrl: string
  /** The page's language tag. It decides how to read "1.299" and "03/04/2024". Null if unknown. */
  language: string | null
  /** True if the text is from JSON-LD or a meta element. Then a dot is the decimal point, and the text may contain
   *  escaped markup. */
  machine: boolean
  /** ISO 3166 in capitals: the country of the URL's top-level domain. It decides how to read "$5" and "03/04/2024". */
  region?: string | null
  /** Time of the fetch, in ms. Without it "yesterday" is not a date. */
  now?: number
}

/** Converts text to the type of a rule; null if that fails. */
export type Coerce = (text: string, as: FieldType, context: CoerceContext) => Json
