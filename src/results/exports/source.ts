// The source of an export, and its progress events.
import type { Writable } from 'node:stream'
import type { Job } from '../../model/job.ts'
import type { TableShape } from '../../model/table-shape.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { RecordReader, TaskStore } from '../../ports/store.ts'
import type { DescribePage } from './page-list.ts'

export interface ExportParts {
  store: { records: RecordReader; tasks: TaskStore }
  blobs: Blobs
  /** Titles and texts for page lists; without it, pages are listed by address. */
  describePage?: DescribePage
}

export interface ExportSource extends ExportParts {
  job: Job
  shape: TableShape
  /** The caller named this list: a job without it is an error. */
  mustExplode?: boolean
  /** Columns of the job's rules, so that CSV can grow with the job. */
  columns?: readonly string[]
  /** Path of the file, or `-`. */
  path: string
  /** Target of the path `-`. */
  stdout: Writable
}

export interface ExportProgress {
  /** Records, or pages for page formats. */
  rows: number
  bytes: number
}
export type OnExportProgress = (progress: ExportProgress) => void
