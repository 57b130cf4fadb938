// Dependencies of moving a store: source, target, and callbacks for progress.
import type { Job } from '../../model/job.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Sealer } from '../../ports/secrets.ts'
import type { Store } from '../../ports/store.ts'
import type { TransferSource, TransferTarget } from '../../ports/transfer.ts'
import type { Mark } from '../coordinate/context.ts'

export interface MoveParts {
  /** Identifies the source directory, so that an interrupted move can resume. */
  origin: string
  from: { store: Store; blobs: Blobs; source: TransferSource; sealer: Sealer }
  to: { store: Store; blobs: Blobs; target: TransferTarget; sealer: Sealer }
  /** Whether an unfinished job continues in the target without a user's command. */
  goesOn: (job: Job) => boolean
  now: () => number
  mark: Mark
  /** Reports progress: copied rows of a table, or copied blobs (`files`). `jobId` is null for tables of the whole store. */
  tell: (progress: MoveProgress) => void
  /** Reports data that cannot be moved, or that the move changes. */
  complain: (text: string) => void
}

export interface MoveProgress {
  jobId: string | null
  piece: string
  done: number
  total: number
}
