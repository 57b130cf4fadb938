// Texts and queries of the full-text search, for every store.
import { Failure } from '../model/failures.ts'
import type { Json } from '../model/record.ts'
import type { Comparison } from '../model/record-query.ts'

/** Most indexed characters of a record. A typical page has a tenth of that. */
const mostTextLength = 200_000

/** All values of a record, one per line, so that phrases seldom match across two values. */
export const textOfRecord = (data: string): string =>
  wordsOf(JSON.parse(data) as Json).slice(0, mostTextLength)

function wordsOf(value: Json): string {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object') return String(value ?? '')
  return Object.values(value).map(wordsOf).join('\n')
}

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
  throw new Failure('input.invalid', `"${field}" is no field: name one like "price" or "offer.price"`, {
    path: 'filters',
  })
}
