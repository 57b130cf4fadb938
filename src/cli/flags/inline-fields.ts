// Parses `--field price=.price:money`: extraction rules on the command line.
import { didYouMean } from '../../lib/text/suggest.ts'
import { type ExtractionRules, type FieldRule, fieldTypes } from '../../model/extraction-rules.ts'
import { Failure } from '../../model/failures.ts'

export interface InlineField {
  name: string
  rule: string | FieldRule
}

/** Parses `name=selector`, `name=selector:type`, and `name[]=selector` for a list. A selector that starts with / is XPath. */
export function parseField(text: string): InlineField {
  const [, name, list, rest] = /^([A-Za-z_][\w-]{0,99})(\[\])?=(.+)$/s.exec(text) ?? []
  if (!name || !rest) throw new Error(`"${text}" is not like name=h1, price=.price:money or tags[]=.tag`)
  const { selector, as } = withoutType(rest.trim())
  const found = /^\(*\/|^\.\//.test(selector) ? { xpath: selector } : { css: selector }
  const isPlain = as === undefined && list === undefined && 'css' in found
  return { name, rule: isPlain ? selector : { ...found, ...(as && { as }), ...(list && { many: true }) } }
}

type FieldType = (typeof fieldTypes)[number]

/** Splits the type from the selector. A word after a colon that is not a type may be a pseudo-class: `a:hover`,
 *  `li:first-child`. */
function withoutType(text: string): { selector: string; as?: FieldType } {
  const [, selector, word] = /^(.*[^:]):([a-z]+)$/s.exec(text) ?? []
  const as = fieldTypes.find(type => type === word)
  if (selector && as) return { selector, as }
  const meant = word && didYouMean(word, fieldTypes)
  if (meant && !pseudoClasses.has(word)) throw new Error(`"${word}" is not a type${meant}`)
  return { selector: text }
}

/** Pseudo-classes whose names are similar to one of our types. They are not taken for misspelt types. */
const pseudoClasses: ReadonlySet<string> = new Set(['link', 'target', 'hover', 'empty', 'root', 'not', 'has'])

interface InlineRules {
  field?: InlineField[]
  each?: string
  extract?: string
}

/** The rules that the flags contain; undefined if there are none. */
export function inlineRules({ field, each, extract }: InlineRules): ExtractionRules | undefined {
  if (field === undefined && each === undefined) return undefined
  if (extract !== undefined)
    throw new Failure('input.invalid', '--extract cannot be combined with --field or --each; use one of them')
  if (field === undefined)
    throw new Failure('input.invalid', '--each needs --field: which fields does each record have?')
  const fields = Object.fromEntries(field.map(({ name, rule }) => [name, rule]))
  return { fields, ...(each !== undefined && { each }) }
}
