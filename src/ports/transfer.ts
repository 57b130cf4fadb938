// Transfer: all that one store holds, moved into another one in pieces, each of them once however often it is broken off.
import type { Job, JobState } from '../model/job.ts'

export type TransferValue = string | number | null
/** A row in the words of its columns. 64-bit keys are text. */
export type TransferRow = Record<string, TransferValue>

export interface TransferBatch {
  rows: TransferRow[]
  /** Where to go on; null when that was all. */
  next: string | null
}

/** Read while nobody writes to it. */
export interface TransferSource extends AsyncDisposable {
  /** What is moved ahead of the jobs, of each job, and after them, in this order. */
  readonly firstPieces: readonly string[]
  readonly jobPieces: readonly string[]
  readonly lastPieces: readonly string[]
  /** Oldest first. */
  jobs(): Promise<string[]>
  /** The number that the job's next task would get. */
  nextNumber(jobId: string): Promise<number>
  count(piece: string, jobId: string | null): Promise<number>
  read(
    piece: string,
    jobId: string | null,
    options: { after: string | null; limit: number },
  ): Promise<TransferBatch>
}

/** How far a piece has come. */
export interface TransferPosition {
  after: string | null
  rows: number
  done: boolean
}

/** `source` tells one origin from any other: only what came from there is gone on with. */
export interface TransferTarget extends AsyncDisposable {
  /**
   * Enters the job, held: nobody takes it up before it is finished. False when there is one of that id which did not come from
   * there.
   */
  begin(source: string, job: Job, nextNumber: number): Promise<boolean>
  /** Of a piece; of the piece `job`: whether the job was let go. */
  position(source: string, piece: string, jobId: string | null): Promise<TransferPosition>
  /** Rows and position in one transaction. Says how many were new: what is there already stays as it is. */
  write(
    source: string,
    piece: string,
    jobId: string | null,
    rows: TransferRow[],
    position: TransferPosition,
  ): Promise<number>
  /** All of it is there: the job is let go, in this state. */
  finish(
    source: string,
    jobId: string,
    as: { state: JobState; reason: string | null; resumeAt: number | null },
  ): Promise<void>
}
