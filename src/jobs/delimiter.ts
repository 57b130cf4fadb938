// Detects the delimiter of a table, because .csv files use several.

export type Delimiter = ',' | ';' | '\t' | '|'

const delimiters: readonly Delimiter[] = [',', ';', '\t', '|']

/** The format of a table. `skipLines` is 1 if the first line only names the delimiter, as in Excel (`sep=;`). */
export interface TableForm {
  delimiter: Delimiter
  skipLines: 0 | 1
}

/** How much text is searched for the header line, in characters. */
const headLength = 20_000

/** Finds the delimiter. A `sep=` line names it. Otherwise it is the most frequent one in the header line, outside quotes. If
 *  several are equally frequent, `usual` wins. */
export function tableFormOf(text: string, usual: Delimiter): TableForm {
  const head = firstLine(text)
  const named = /^sep=(.)\s*$/i.exec(head)?.[1] ?? (/^sep=\t?$/i.test(head) ? '\t' : undefined)
  if (isDelimiter(named)) return { delimiter: named, skipLines: 1 }
  const counts = delimiters.map(delimiter => ({ delimiter, count: countOf(head, delimiter) }))
  const most = counts.reduce((best, one) => (one.count > best.count ? one : best))
  const isUsual = counts.some(({ delimiter, count }) => delimiter === usual && count === most.count)
  return { delimiter: isUsual ? usual : most.delimiter, skipLines: 0 }
}

const isDelimiter = (text: string | undefined): text is Delimiter =>
  (delimiters as readonly (string | undefined)[]).includes(text)

/** The first line. A line break inside quotes does not end it, because column names may contain line breaks. */
function firstLine(text: string): string {
  const begin = text.slice(0, headLength).replace(/^\uFEFF/, '')
  let quoted = false
  for (let at = 0; at < begin.length; at += 1) {
    if (begin[at] === '"') quoted = !quoted
    if (!quoted && (begin[at] === '\n' || begin[at] === '\r')) return begin.slice(0, at)
  }
  return begin
}

function countOf(line: string, delimiter: Delimiter): number {
  let count = 0
  let quoted = false
  for (const character of line) {
    if (character === '"') quoted = !quoted
    if (!quoted && character === delimiter) count += 1
  }
  return count
}
