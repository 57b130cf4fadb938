// Translates a search to PostgreSQL; user text never becomes SQL or an operator.
import type { FieldFilter } from '../../model/record-query.ts'
import { fieldSteps, operators, searchTerms } from '../search-text.ts'

const word = /[\p{L}\p{N}]+/gu

/** The same for stored and searched text: lower-case words without accents. */
export const plainWords = (text: string): string =>
  (text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().match(word) ?? []).join(' ')

/** `blue "night light" lam*` → `'blue' & ('night' <-> 'light') & 'lam':*`. Null without a word. */
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

/** Compares only values of the same type. */
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
  // A CASE protects the cast, because conditions of an AND have no order.
  return `CASE WHEN jsonb_typeof(${found}) = '${kind}' THEN ${text}::${type} ${operator} ${place(value)}::${type} ELSE false END`
}
