// Translates a search query to PostgreSQL. Text of the user never becomes SQL or an operator.
import type { FieldFilter } from '../../model/record-query.ts'
import { fieldSteps, operators, searchTerms } from '../search-text.ts'
import type { Place, SearchForms } from '../sql/search.ts'

const word = /[\p{L}\p{N}]+/gu

/** Lower-case words without accents. Applied to stored and searched text. */
export const plainWords = (text: string): string =>
  (text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().match(word) ?? []).join(' ')

/** Translates `blue "night light" lam*` to `('blue') & ('night' <-> 'light') & ('lam':*)`. Null if there is no word. */
function searchQuery(text: string): string | null {
  const terms = searchTerms(text).flatMap(({ text: phrase, isBeginning }) => {
    const words = plainWords(phrase).split(' ').filter(Boolean)
    const quoted = words.map(
      (one, index) => `'${one}'${isBeginning && index === words.length - 1 ? ':*' : ''}`,
    )
    return quoted.length > 0 ? [`(${quoted.join(' <-> ')})`] : []
  })
  return terms.length > 0 ? terms.join(' & ') : null
}

/** SQL for a field filter. Only values of the same type are compared. */
function filterSql({ field, is, value }: FieldFilter, place: Place): string {
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
  // The CASE guards the cast, because PostgreSQL may evaluate the conditions of an AND in any order.
  return `CASE WHEN jsonb_typeof(${found}) = '${kind}' THEN ${text}::${type} ${operator} ${place(value)}::${type} ELSE false END`
}

export const searchForms: SearchForms = {
  words: searchQuery,
  indexed: 'records r JOIN record_words w ON w.seq = r.seq',
  matches: place => `w.words @@ to_tsquery('simple', ${place})`,
  indexedSeq: 'r.seq',
  isOf: place => `${place} IN (r.scraper, split_part(r.scraper, '@', 1))`,
  filter: filterSql,
}
