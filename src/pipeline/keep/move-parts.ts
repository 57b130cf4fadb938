// What moving a store takes: where from, where to, and who hears how far it is.
import type { Job } from '../../model/job.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { Sealer } from '../../ports/secrets.ts'
import type { Store } from '../../ports/store.ts'
import type { TransferSource, TransferTarget } from '../../ports/transfer.ts'
import type { Mark } from '../coordinate/context.ts'

export interface MoveParts {
  /** Tells this origin from any other. */
  origin: string
  from: { store: Store; blobs: Blobs; source: TransferSource; sealer: Sealer }
  to: { store: Store; blobs: Blobs; target: TransferTarget; sealer: Sealer }
  /** Whether somebody takes an unended job up without being asked. */
  goesOn: (job: Job) => boolean
  now: () => number
  mark: Mark
  /** How far it is: rows of a piece, of one job or (null) of the store as a whole; `files` are blobs. */
  tell: (progress: MoveProgress) => void
  /** What can't be moved, or not as it was; by name. */
  complain: (text: string) => void
}

export interface MoveProgress {
  jobId: string | null
  piece: string
  done: number
  total: number
}
