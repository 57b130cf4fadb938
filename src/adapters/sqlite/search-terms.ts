// Translates a search query to SQLite. Text of the user never becomes SQL or an FTS5 operator.
import type { FieldFilter } from '../../model/record-query.ts'
import { fieldSteps, operators, searchTerms } from '../search-text.ts'
import type { Place, SearchForms } from '../sql/search.ts'

/** Translates `blue "night light" lam*` to three terms that must all occur. Null if there is no word. */
function matchText(text: string): string | null {
  const quoted = searchTerms(text).map(
    term => `"${term.text.replaceAll('"', ' ')}"${term.isBeginning ? '*' : ''}`,
  )
  return quoted.length > 0 ? quoted.join(' ') : null
}

function filterSql({ field, is, value }: FieldFilter, place: Place): string {
  const found = `json_extract(r.data, ${place(jsonPath(field))})`
  if (is === 'exists') return `(${found} IS NOT NULL) = ${place(Boolean(value))}`
  if (is === 'contains') return `instr(lower(${found}), ${place(String(value).toLowerCase())}) > 0`
  // Compares only values of the same type, because SQLite sorts every text after every number.
  const isSameType = `typeof(${found}) ${typeof value === 'string' ? '=' : '<>'} 'text'`
  return `${isSameType} AND ${found} ${operators[is]} ${place(value)}`
}

/** Translates a field path: `offer.price` becomes `$."offer"."price"`, and `tags.0` is the first tag. */
const jsonPath = (field: string): string =>
  `$${fieldSteps(field)
    .map(step => (/^\d+$/.test(step) ? `[${step}]` : `."${step}"`))
    .join('')}`

export const searchForms: SearchForms = {
  words: matchText,
  indexed: 'record_words w CROSS JOIN records r ON r.seq = w.rowid',
  matches: place => `w.record_words MATCH ${place}`,
  indexedSeq: 'w.rowid',
  isOf: place =>
    `r.scraper IN (SELECT id FROM names WHERE text = ${place} OR substr(text, 1, length(${place}) + 1) = ${place} || '@')`,
  filter: filterSql,
}
