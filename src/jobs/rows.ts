// Rows of a file: lines, CSV records or JSON elements, before they become tasks.

/** One row of the source. `blank` covers empty lines and comments: they are counted, not reported. */
export type Row =
  | { row: number; is: 'blank' }
  | { row: number; is: 'text'; text: string }
  | { row: number; is: 'object'; value: Record<string, unknown> }
  | { row: number; is: 'bad'; text: string; reason: string }

const rowFormats = ['txt', 'csv', 'tsv', 'json', 'jsonl', 'xlsx'] as const
export type RowFormat = (typeof rowFormats)[number]

/** The format by the file extension, without `.gz`. Null if unknown. */
export function rowFormatOf(name: string): RowFormat | null {
  const ending = name.replace(/\.gz$/i, '').split('.').at(-1)?.toLowerCase()
  if (ending === 'ndjson') return 'jsonl'
  return rowFormats.find(format => format === ending) ?? null
}

/** The format by the beginning of the text: a JSON array, JSON objects, a line of column names, or URLs. */
export function sniffedFormat(text: string): Exclude<RowFormat, 'xlsx'> {
  const begin = text.replace(/^\uFEFF/, '').trimStart()
  if (begin.startsWith('[')) return 'json'
  if (begin.startsWith('{')) return 'jsonl'
  const [first = ''] = begin.split('\n', 1)
  if (/^["']?https?:\/\//i.test(first) || first.startsWith('#')) return 'txt'
  if (first.includes('\t')) return 'tsv'
  return /[,;|]|^sep=/i.test(first) || /^(url|link|href|uri|website|page|address)\s*$/i.test(first)
    ? 'csv'
    : 'txt'
}

/** The part of a rejected row that is stored and shown: at most 200 characters. */
export const cut = (text: string): string => (text.length > 200 ? `${text.slice(0, 199)}…` : text)
