// What an export is made from, and what it says while it is being made.
import type { Writable } from 'node:stream'
import type { Job } from '../../model/job.ts'
import type { TableShape } from '../../model/table-shape.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { RecordReader, TaskStore } from '../../ports/store.ts'

export interface ExportParts {
  store: { records: RecordReader; tasks: TaskStore }
  blobs: Blobs
}

export interface ExportSource extends ExportParts {
  job: Job
  shape: TableShape
  /** The caller asked for this list: a job without it is an error. */
  mustExplode?: boolean
  /** Keys of the columns that the job's rules announce: CSV can then grow with the job. */
  columns?: readonly string[]
  /** Of the file that is made, or `-`. */
  path: string
  /** Where the path `-` goes. */
  stdout: Writable
}

export interface ExportProgress {
  /** Records, or pages where the format holds pages. */
  rows: number
  bytes: number
}
export type OnExportProgress = (progress: ExportProgress) => void
