// Texts and queries of the full-text search, for every store.
import { Failure } from '../model/failures.ts'
import type { Comparison } from '../model/record-query.ts'

/** Maximum number of indexed characters of a record. A typical page has a tenth of that. */
const mostTextLength = 200_000

/** Maximum number of characters of a record's JSON that stores read for the index. It is twice the text limit, because JSON also
 *  contains keys and punctuation. */
export const mostJsonLength = 2 * mostTextLength

/** One step of the index processes at most this many characters, because it blocks the event loop. */
export const mostTextOfStep = mostTextLength

/** Matches a string, number or boolean of JSON. The second group is the end of a string: `":` marks a key, and an empty end means
 *  that the JSON is cut off. */
const jsonValue = /"([^"\\]*(?:\\(?:u[0-9a-fA-F]{4}|[^u])[^"\\]*)*)("\s*:|"|)|(-?\d[\d.eE+-]*|true|false)/g

/** All values of a record, one per line, so that few phrases match across values. Does not parse the JSON, because parsing a large
 *  record would block for long. */
export function textOfRecord(json: string): string {
  let text = ''
  for (const [, string, end, other] of json.slice(0, mostJsonLength).matchAll(jsonValue)) {
    if (end?.endsWith(':')) continue
    text += `${other ?? unescaped(string!)}\n`
    if (text.length > mostTextLength || end === '') break
  }
  return text.slice(0, mostTextLength)
}

const unescaped = (string: string): string =>
  string.includes('\\') ? (JSON.parse(`"${string}"`) as string) : string

interface SearchTerm {
  text: string
  /** Whether words that start with this text match, too. */
  isBeginning: boolean
}

/** Splits a query: `blue "night light" lam*` gives three terms. */
export function searchTerms(text: string): SearchTerm[] {
  const terms = text.matchAll(/"([^"]*)"(\*?)|([^\s"]+)/g)
  return [...terms].flatMap(([, phrase, star, word]) => {
    const term = (phrase ?? word ?? '').replaceAll('*', ' ').trim()
    const isBeginning = Boolean(word?.endsWith('*')) || star === '*'
    return /[\p{L}\p{N}]/u.test(term) ? [{ text: term, isBeginning }] : []
  })
}

/** Comparisons that both backends write with the same SQL operator. */
export const operators: Record<Exclude<Comparison, 'contains' | 'exists'>, string> = {
  eq: '=',
  ne: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
}

/** Splits a field path: `offer.price` gives two steps. */
export function fieldSteps(field: string): string[] {
  const steps = field.split('.')
  if (!field.includes('"') && steps.every(step => step !== '')) return steps
  throw new Failure('input.invalid', `"${field}" is not a field; write it like "price" or "offer.price"`, {
    path: 'filters',
  })
}
