// Converts schema errors of rules to helpful messages.

import { didYouMean } from '../../lib/text/suggest.ts'
import { type extractionRules, fieldTypes } from '../../model/extraction-rules.ts'
import { isObject } from '../../model/json.ts'

export interface Problem {
  path: string[]
  message: string
  /** True if the key is wrong, false if its value is. */
  atKey: boolean
}

type Refusal = NonNullable<ReturnType<typeof extractionRules.safeParse>['error']>
type Issue = Refusal['issues'][number]

const ruleKeys = [
  'css',
  'xpath',
  'jsonld',
  'meta',
  'regex',
  'attr',
  'many',
  'as',
  'default',
  'required',
  'wanted',
  'fields',
]
const fileKeys = ['each', 'fields']

/** Words that other tools use, with our word for each. */
const otherWords: Record<string, string> = {
  selector: 'css',
  query: 'css',
  type: 'as',
  attribute: 'attr',
  multiple: 'many',
  all: 'many',
  list: 'many',
  optional: 'default',
  pattern: 'regex',
  items: 'each',
  rows: 'each',
  properties: 'fields',
}

export function problemsOf(error: Refusal, value: unknown): Problem[] {
  return error.issues.flatMap(issue => explain(issue, [], value))
}

function explain(issue: Issue, before: PropertyKey[], value: unknown): Problem[] {
  const path = [...before, ...issue.path]
  const names = path.map(String)
  if (issue.code === 'unrecognized_keys') return issue.keys.map(key => unknownKey(key, names))
  const given = valueAt(value, path)
  if (issue.code === 'invalid_union') {
    // If the user wrote an object, show only the errors of the object form.
    const inner = isObject(given) ? issue.errors[1] : undefined
    if (inner !== undefined) return inner.flatMap(each => explain(each as Issue, path, value))
    return [
      problem(
        names,
        `${shown(given)} is not a rule${hint(given)}; write a selector, or an object like { css: h1 }`,
      ),
    ]
  }
  if (issue.code === 'invalid_key')
    return [{ ...problem(names, `"${names.at(-1)}" is not a field name${keyHint(issue)}`), atKey: true }]
  return [problem(names, `${wrong(issue, given)}${hint(given)}`)]
}

const keyHint = ({ issues }: Extract<Issue, { code: 'invalid_key' }>): string =>
  issues[0] ? ` (${issues[0].message})` : ''

function problem(path: string[], message: string): Problem {
  const place = path.join('.')
  return { path, message: place === '' ? message : `${place}: ${message}`, atKey: false }
}

function unknownKey(key: string, path: string[]): Problem {
  const isFile = path.length === 0
  const known = isFile ? fileKeys : ruleKeys
  const meant = otherWords[key.toLowerCase()]
  const advice =
    meant !== undefined && known.includes(meant) ? ` (did you mean "${meant}"?)` : didYouMean(key, known)
  const wayOut = advice || (isFile ? '; fields go under "fields:"' : `; known keys: ${known.join(', ')}`)
  return { path: [...path, key], message: `${[...path, key].join('.')}: unknown key${wayOut}`, atKey: true }
}

function wrong(issue: Issue, given: unknown): string {
  if (issue.code === 'invalid_value') {
    return `${shown(given)} is not a type; use one of ${fieldTypes.join(', ')}`.concat(
      typeof given === 'string' ? didYouMean(given, fieldTypes) : '',
    )
  }
  if (issue.code === 'invalid_type') return `${shown(given)} is not ${article(issue.expected)}`
  return `${shown(given)} is not accepted: ${issue.message}`
}

const article = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

/** A hint to quote the selector. In YAML, `#` starts a comment and `[` a list. */
function hint(given: unknown): string {
  if (given === null) return ' (a selector that starts with # needs quotes: YAML takes it for a comment)'
  return Array.isArray(given) ? ' (a selector that starts with [ needs quotes: YAML takes it for a list)' : ''
}

function shown(given: unknown): string {
  if (given === undefined || given === null) return 'nothing'
  const text = JSON.stringify(given) ?? String(given)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  let inner = value
  for (const key of path)
    inner = isObject(inner) && Object.hasOwn(inner, key) ? inner[key as string] : undefined
  return inner
}
