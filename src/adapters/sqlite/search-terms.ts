// Translates a search query to SQLite. Text of the user never becomes SQL or an FTS5 operator.
import type { FieldFilter } from '../../model/record-query.ts'
import { fieldSteps, operators, searchTerms } from '../search-text.ts'

interface Condition {
  sql: string
  values: Array<string | number>
}

/** Translates `blue "night light" lam*` to three terms that must all occur. Null if there is no word. */
export function matchText(text: string): string | null {
  const quoted = searchTerms(text).map(
    term => `"${term.text.replaceAll('"', ' ')}"${term.isBeginning ? '*' : ''}`,
  )
  return quoted.length > 0 ? quoted.join(' ') : null
}

export function filterSql({ field, is, value }: FieldFilter): Condition {
  const path = jsonPath(field)
  const found = 'json_extract(r.data, ?)'
  if (is === 'exists') return { sql: `(${found} IS NOT NULL) = ?`, values: [path, Number(Boolean(value))] }
  if (is === 'contains')
    return { sql: `instr(lower(${found}), ?) > 0`, values: [path, String(value).toLowerCase()] }
  const plain = typeof value === 'boolean' ? Number(value) : value
  return {
    // Compares only values of the same type, because SQLite sorts every text after every number.
    sql: `typeof(${found}) ${typeof value === 'string' ? '=' : '<>'} 'text' AND ${found} ${operators[is]} ?`,
    values: [path, path, plain],
  }
}

/** Translates a field path: `offer.price` becomes `$."offer"."price"`, and `tags.0` is the first tag. */
const jsonPath = (field: string): string =>
  `$${fieldSteps(field)
    .map(step => (/^\d+$/.test(step) ? `[${step}]` : `."${step}"`))
    .join('')}`
