// Prints a table of the first records when a job ends, on a terminal.
import type { RecordPreview } from '../../pipeline/report/record-preview.ts'
import { print } from '../print.ts'
import { safe } from '../talk.ts'
import { table } from './job-tables.ts'

export const previewRows = 10

export const previewSize = () => ({ rows: previewRows, width: (process.stdout.columns || 80) - 1 })

export function printPreview(preview: RecordPreview | null, records: number): void {
  if (!preview) return
  print(
    table(
      preview.names,
      preview.rows.map(row => row.map(safe)),
    ),
  )
  if (records > preview.rows.length) print(`… ${records - preview.rows.length} more`)
  print('')
}
