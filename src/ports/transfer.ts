// Transfer: moves the contents of one store into another in pieces. It can be interrupted and resumed; each piece arrives once.
import type { Job, JobState } from '../model/job.ts'

type TransferValue = string | number | null
/** A row by column name. 64-bit keys are text. */
export type TransferRow = Record<string, TransferValue>

export interface TransferBatch {
  rows: TransferRow[]
  /** The cursor of the next batch; null at the end. */
  next: string | null
}

/** The store to read from. No process may write to this store during the transfer. */
export interface TransferSource extends AsyncDisposable {
  /** Pieces to move before the jobs, for each job, and after the jobs, in this order. */
  readonly firstPieces: readonly string[]
  readonly jobPieces: readonly string[]
  readonly lastPieces: readonly string[]
  /** The ids of all jobs, oldest first. */
  jobs(): Promise<string[]>
  /** The number that the job's next task will get. */
  nextNumber(jobId: string): Promise<number>
  count(piece: string, jobId: string | null): Promise<number>
  read(
    piece: string,
    jobId: string | null,
    options: { after: string | null; limit: number },
  ): Promise<TransferBatch>
}

/** Progress of a piece. */
export interface TransferPosition {
  after: string | null
  rows: number
  done: boolean
}

/** The store to write to. `source` identifies the store that is read, because a transfer resumes only from the same
 *  source. */
export interface TransferTarget extends AsyncDisposable {
  /**
   * Creates the job in the target on hold. No process runs the job until `finish`. False if a job with that id exists
   * and is not from `source`.
   */
  begin(source: string, job: Job, nextNumber: number): Promise<boolean>
  /** The progress of a piece. For the piece `job`, `done` says whether `finish` was called for the job. */
  position(source: string, piece: string, jobId: string | null): Promise<TransferPosition>
  /** Writes rows and position in one transaction. Returns how many rows were new; existing rows are unchanged. */
  write(
    source: string,
    piece: string,
    jobId: string | null,
    rows: TransferRow[],
    position: TransferPosition,
  ): Promise<number>
  /** The transfer of the job is complete. Ends the hold and sets this state. */
  finish(
    source: string,
    jobId: string,
    as: { state: JobState; reason: string | null; resumeAt: number | null },
  ): Promise<void>
}
