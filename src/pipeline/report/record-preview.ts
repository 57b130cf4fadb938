// The first records of a job as a small table for a terminal: the most useful columns, with short cells.
import type { Job } from '../../model/job.ts'
import type { Json, StoredRecord } from '../../model/record.ts'
import type { RecordReader } from '../../ports/store.ts'
import { cellText } from '../../results/exports/cell-text.ts'
import { survey } from '../../results/exports/columns.ts'
import { tableOf } from '../../results/exports/export-job.ts'

export interface RecordPreview {
  names: string[]
  rows: string[][]
}

interface PreviewSize {
  rows: number
  /** Width of the terminal in characters. */
  width: number
}

const longestCell = 40
/** Number of spaces between two columns. */
const gap = 2

/** The table. Null if the job has no records. */
export async function recordPreview(
  records: Pick<RecordReader, 'list'>,
  job: Job,
  size: PreviewSize,
): Promise<RecordPreview | null> {
  const first = await records.list(job.id, { after: 0, limit: size.rows })
  return first.length === 0 ? null : previewOf(first, job, size)
}

export async function previewOf(first: StoredRecord[], job: Job, size: PreviewSize): Promise<RecordPreview> {
  const { shape, columns } = tableOf(job, { pageColumns: ['url'] })
  const { table } = await survey(once(first), shape, columns)
  const rows = first.flatMap(record => table.rows(record) ?? []).slice(0, size.rows)
  const all = table.columns.map(({ name }, index) => ({
    name,
    texts: rows.map(row => shortText(row[index]!)),
  }))
  const chosen = fitting(all.filter(isTelling), size.width)
  return {
    names: chosen.map(({ name }) => name),
    rows: rows.map((_, row) => chosen.map(({ texts }) => texts[row]!)),
  }
}

interface PreviewColumn {
  name: string
  texts: string[]
}

const shortText = (value: Json): string => {
  const text = cellText(value).replace(/\s+/g, ' ').trim()
  if (text.length <= longestCell) return text
  const half = (longestCell - 1) / 2
  return /^https?:/.test(text)
    ? `${text.slice(0, Math.floor(half))}…${text.slice(-Math.ceil(half))}`
    : `${text.slice(0, longestCell - 1)}…`
}

/** Whether a column is shown: it is not empty, and no earlier column has the same values. */
function isTelling(column: PreviewColumn, index: number, all: PreviewColumn[]): boolean {
  if (column.texts.every(text => text === '')) return false
  const key = column.texts.join('\n')
  return !all.slice(0, index).some(other => other.texts.join('\n') === key)
}

/** Columns that name a record. They are chosen first. If one of them does not fit, its text is cut. */
const naming = new Set(['url', 'title', 'name', 'headline'])
/** Columns are not cut below this width, because shorter text is useless. */
const shortestCut = 16

/** Chooses as many columns as fit: first those that name a record, then short ones. Returns them in their original order. */
function fitting(columns: PreviewColumn[], width: number): PreviewColumn[] {
  const chosen = new Map<PreviewColumn, PreviewColumn>()
  let left = width
  for (const column of columns.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const free = left - (chosen.size > 0 ? gap : 0)
    const fits = chosen.size === 0 || widthOf(column) <= free
    if (!fits && !(naming.has(column.name) && free >= shortestCut)) continue
    const shown = fits ? column : { ...column, texts: column.texts.map(text => cut(text, free)) }
    chosen.set(column, shown)
    left = free - widthOf(shown)
  }
  return columns.flatMap(column => chosen.get(column) ?? [])
}

const widthOf = ({ name, texts }: PreviewColumn): number =>
  Math.max(name.length, ...texts.map(text => text.length))

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width - 1)}…`

function rankOf({ name, texts }: PreviewColumn): number {
  if (naming.has(name)) return 0
  return texts.some(text => text.includes('…')) ? 2 : 1
}

async function* once(batch: StoredRecord[]): AsyncGenerator<StoredRecord[]> {
  yield batch
}
