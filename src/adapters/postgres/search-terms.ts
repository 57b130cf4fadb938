// What a search asks for, in PostgreSQL's words; nothing of it can be read as SQL or as an operator of a text search.
import type { Comparison, FieldFilter } from '../../model/record-query.ts'
import { fieldSteps, searchTerms } from '../search-text.ts'

const word = /[\p{L}\p{N}]+/gu

/** The same for what is stored and what is asked: words in lower case, without accents, and nothing between them. */
export const plainWords = (text: string): string =>
  (text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().match(word) ?? []).join(' ')

/** `blue "night light" lam*` → `'blue' & ('night' <-> 'light') & 'lam':*`. Null when there is no word in it. */
export function searchQuery(text: string): string | null {
  const terms = searchTerms(text).flatMap(({ text: phrase, isBeginning }) => {
    const words = plainWords(phrase).split(' ').filter(Boolean)
    const quoted = words.map(
      (one, index) => `'${one}'${isBeginning && index === words.length - 1 ? ':*' : ''}`,
    )
    return quoted.length > 0 ? [`(${quoted.join(' <-> ')})`] : []
  })
  return terms.length > 0 ? terms.join(' & ') : null
}

const operators: Record<Exclude<Comparison, 'contains' | 'exists'>, string> = {
  eq: '=',
  ne: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
}

/** A value is compared with values of its own kind only. */
export function filterSql({ field, is, value }: FieldFilter, place: (value: unknown) => string): string {
  const found = `(r.data::jsonb #> ${place(fieldSteps(field))}::text[])`
  const text = `(${found} #>> '{}')`
  if (is === 'exists')
    return `(${found} IS NOT NULL AND jsonb_typeof(${found}) <> 'null') = ${place(Boolean(value))}::boolean`
  if (is === 'contains') return `strpos(lower(${text}), ${place(String(value).toLowerCase())}) > 0`
  const operator = operators[is]
  if (typeof value === 'string')
    return `(jsonb_typeof(${found}) = 'string' AND ${text} COLLATE "C" ${operator} ${place(value)})`
  const kind = typeof value === 'boolean' ? 'boolean' : 'number'
  const type = typeof value === 'boolean' ? 'boolean' : 'numeric'
  // A cast is tried only where it can't fail: conditions of an AND have no order.
  return `CASE WHEN jsonb_typeof(${found}) = '${kind}' THEN ${text}::${type} ${operator} ${place(value)}::${type} ELSE false END`
}
