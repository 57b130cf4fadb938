// Validates and compiles extraction rules before any page is fetched.
import type { ExtractionRules, FieldRule } from '../../model/extraction-rules.ts'
import { Failure } from '../../model/failures.ts'
import type { FieldSource, Json } from '../../model/record.ts'
import { compileSelector, compileXPath } from '../document/index.ts'
import { compileJsonLdPath } from '../json-ld-path.ts'
import { compilePattern } from '../regex-jobs.ts'
import type { CompiledField, CompiledRules, Lookup } from './compiled-rules.ts'

const maxNesting = 10
const maxFields = 1_000
/** Names that fields cannot have. Exports add `_page` and `_input` to each record, and `__proto__` would change the
 *  object itself. */
const reservedNames = new Set(['_page', '_input', '__proto__'])
const sources = ['css', 'xpath', 'jsonld', 'meta'] as const

export function compileRules(rules: ExtractionRules): CompiledRules {
  const each = rules.each === undefined ? null : compileEach(rules.each)
  const counter = { fields: 0 }
  const fields = compileFields(rules.fields, 'fields', { depth: 1, isScoped: each !== null, counter })
  return { each, fields, prompt: rules.prompt?.trim() || null, usesRegex: fields.some(usesRegex) }
}

const usesRegex = (field: CompiledField): boolean =>
  field.regex !== null || (field.fields?.some(usesRegex) ?? false)

interface Place {
  depth: number
  /** True inside `each` or a nested object, where selectors start at a scope element. */
  isScoped: boolean
  counter: { fields: number }
}

function compileFields(
  fields: Record<string, string | FieldRule>,
  path: string,
  place: Place,
): CompiledField[] {
  if (place.depth > maxNesting) throw refuse(path, `nested deeper than ${maxNesting} levels`)
  const names = Object.keys(fields)
  if (names.length === 0) throw refuse(path, 'no field is named; name at least one, like "title: h1"')
  place.counter.fields += names.length
  if (place.counter.fields > maxFields) throw refuse(path, `more than ${maxFields} fields`)
  return names.map(name => compileField(name, fields[name]!, `${path}.${name}`, place))
}

function compileField(name: string, rule: string | FieldRule, path: string, place: Place): CompiledField {
  if (reservedNames.has(name)) throw refuse(path, `the name "${name}" is reserved; choose another one`)
  const full = typeof rule === 'string' ? fromShorthand(rule) : rule
  const selectorPath = typeof rule === 'string' ? path : `${path}.${sourceOf(full) ?? ''}`
  checkCombination(full, path)
  const lookup = compileLookup(full, selectorPath, path, place)
  return {
    name,
    lookup,
    ...wantedOf(full, lookup, path),
    many: full.many ?? false,
    as: full.as ?? 'text',
    isTyped: full.as !== undefined,
    regex: full.regex === undefined ? null : compilePattern(full.regex, `${path}.regex`),
    fallback: full.default === undefined ? undefined : jsonValue(full.default, `${path}.default`),
    required: full.required ?? false,
    wanted: full.wanted ?? false,
    hint: full.hint?.trim() || null,
    fields: full.fields === undefined ? null : compileNested(full, path, place),
    ...sourcesOf(full, lookup),
  }
}

/** A string is a selector: XPath if it starts like a path, otherwise CSS. */
const fromShorthand = (text: string): FieldRule => (looksLikeXPath(text) ? { xpath: text } : { css: text })
const looksLikeXPath = (text: string): boolean => /^\s*\(*\.{0,2}\//.test(text)

const sourceOf = (rule: FieldRule): (typeof sources)[number] | undefined =>
  sources.find(source => rule[source] !== undefined)

function checkCombination(rule: FieldRule, path: string): void {
  const given = sources.filter(source => rule[source] !== undefined)
  if (given.length > 1) throw refuse(path, `${given.join(' and ')} cannot be combined; use only one of them`)
  const isElement = rule.css !== undefined || rule.xpath !== undefined || given.length === 0
  if (rule.fields !== undefined) checkNested(rule, given, path)
  else if (given.length === 0 && rule.regex === undefined && rule.attr === undefined) {
    throw refuse(path, 'the field has no source; add css, xpath, jsonld, meta, regex or fields')
  }
  if (rule.attr !== undefined && !isElement) {
    throw refuse(
      `${path}.attr`,
      `"${rule.attr}" cannot be combined with ${given[0]}; use css or xpath instead`,
    )
  }
}

function checkNested(rule: FieldRule, given: string[], path: string): void {
  const odd = (['as', 'attr', 'regex'] as const).find(key => rule[key] !== undefined)
  if (odd !== undefined)
    throw refuse(`${path}.${odd}`, 'cannot be combined with fields; move it into one of the fields')
  const bad = given.find(source => source !== 'css' && source !== 'xpath')
  if (bad !== undefined)
    throw refuse(
      `${path}.${bad}`,
      'cannot contain fields; use css or xpath to select the element that contains them',
    )
  if (rule.many && given.length === 0) {
    throw refuse(`${path}.many`, 'needs css or xpath, to select the elements')
  }
}

function compileLookup(rule: FieldRule, selectorPath: string, path: string, place: Place): Lookup {
  if (rule.css !== undefined) return cssLookup(rule.css, selectorPath)
  if (rule.xpath !== undefined)
    return { by: 'xpath', xpath: located(selectorPath, () => compileXPath(rule.xpath!)) }
  if (rule.jsonld !== undefined) return { by: 'jsonld', path: compileJsonLdPath(rule.jsonld, selectorPath) }
  if (rule.meta !== undefined) return { by: 'meta', name: rule.meta.trim().toLowerCase() }
  if (rule.attr !== undefined && !place.isScoped) {
    throw refuse(`${path}.attr`, `attr "${rule.attr}" needs an element; add css or xpath`)
  }
  return { by: rule.regex !== undefined && rule.attr === undefined ? 'source' : 'here' }
}

/** `:scope` selects the scope element itself. All other selectors search inside it. */
function cssLookup(css: string, path: string): Lookup {
  if (css.trim() === ':scope') return { by: 'here' }
  return { by: 'css', selector: located(path, () => compileSelector(css)) }
}

function compileEach(written: string): Lookup {
  if (looksLikeXPath(written)) return { by: 'xpath', xpath: located('each', () => compileXPath(written)) }
  const lookup = cssLookup(written, 'each')
  const wanted = lookup.by === 'css' && (lookup.selector.attribute !== null || lookup.selector.wantsText)
  if (wanted) throw refuse('each', `"${written}" must select elements, not attributes or text`)
  return lookup
}

function compileNested(rule: FieldRule, path: string, place: Place): CompiledField[] {
  const isScoped = place.isScoped || sourceOf(rule) !== undefined
  return compileFields(rule.fields!, `${path}.fields`, { ...place, depth: place.depth + 1, isScoped })
}

function wantedOf(
  rule: FieldRule,
  lookup: Lookup,
  path: string,
): { attribute: string | null; wantsText: boolean } {
  const attribute = rule.attr?.toLowerCase() ?? null
  if (lookup.by !== 'css') return { attribute, wantsText: false }
  const { selector } = lookup
  if (attribute !== null && (selector.attribute !== null || selector.wantsText)) {
    throw refuse(
      `${path}.attr`,
      `"${attribute}" is not needed: the selector already selects an attribute or the text; leave one of them out`,
    )
  }
  return { attribute: attribute ?? selector.attribute, wantsText: selector.wantsText }
}

function sourcesOf(rule: FieldRule, lookup: Lookup): { found: FieldSource; missing: FieldSource } {
  const source = sourceOf(rule)
  const from = source ?? (lookup.by === 'source' ? 'regex' : 'page')
  const by = rule[source ?? 'regex'] ?? rule.attr ?? ''
  const shown = by.length > 200 ? `${by.slice(0, 200)}…` : by
  return {
    found: { from, by: shown },
    missing: { from: 'none', by: shown, why: `nothing found by ${from}` },
  }
}

function jsonValue(value: unknown, path: string): Json {
  const text = JSON.stringify(value)
  if (text === undefined) throw refuse(path, 'is not a value that JSON can represent')
  return JSON.parse(text) as Json
}

/** Adds the path of the field to failures of the selector parsers. */
function located<Value>(path: string, compile: () => Value): Value {
  try {
    return compile()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure(error.code, `${path}: ${error.message}`, { ...error.details, path }, { cause: error })
  }
}

function refuse(path: string, why: string): Failure {
  return new Failure('input.invalid', `${path}: ${why}`, { path })
}
