// The input row of a record whose job hides personal data. The task stores the unchanged row, because the scraper needs it. The
// record stores a copy without personal data, at the start of its `way` column.
import { givenRow } from './followed.ts'
import type { PageWay } from './policy/way.ts'
import type { RecordData } from './record.ts'

const start = '{"input":'

/** The text of the `way` column: a `PageWay` as JSON. If `row` is given, it is stored first, as `input`, and results show it
 *  instead of the task's row. */
export const wayWithRow = (way: PageWay, row: RecordData | null): string =>
  JSON.stringify(row === null ? way : { input: row, ...way })

/** Splits the `way` column into the `PageWay` and the row. The row is null if the record shows the row of its task. */
export function splitWay(way: string | null): { way: PageWay | null; row: RecordData | null } {
  if (way === null) return { way: null, row: null }
  const { input = null, ...rest } = JSON.parse(way) as PageWay & { input?: RecordData }
  return { way: rest, row: input }
}

/** The row and the `way` that results show. `input` is the row of the task. */
export function shownRow(
  input: string | null,
  way: string | null,
): { input: string | null; way: string | null } {
  if (!way?.startsWith(start)) return { input: givenRow(input), way }
  const { way: rest, row } = splitWay(way)
  return { input: JSON.stringify(row), way: JSON.stringify(rest) }
}
