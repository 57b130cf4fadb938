// The source of an export, and the type of its progress events.
import type { Writable } from 'node:stream'
import type { Job } from '../../model/job.ts'
import type { TableShape } from '../../model/table-shape.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { RecordReader, TaskStore } from '../../ports/store.ts'
import type { DescribePage } from './page-list.ts'

export interface ExportParts {
  store: { records: RecordReader; tasks: TaskStore }
  blobs: Blobs
  /** Returns title and text of a page for page lists. Without it, pages are listed by URL. */
  describePage?: DescribePage
}

export interface ExportSource extends ExportParts {
  job: Job
  shape: TableShape
  /** True if the caller named the list to explode. The export then fails if no record of the job has that list. */
  mustExplode?: boolean
  /** Columns of the job's rules. If they are known, a CSV file can grow while the job runs. */
  columns?: readonly string[]
  /** Path of the file; `-` means standard output. */
  path: string
  /** The stream for the path `-`. */
  stdout: Writable
}

export interface ExportProgress {
  /** Number of records, or of pages for page formats. */
  rows: number
  bytes: number
}
export type OnExportProgress = (progress: ExportProgress) => void
