// Moves many tasks at once.
import type { TaskStore } from '../../ports/store.ts'
import { bulkMoves as sharedMoves } from '../sql/bulk-moves.ts'
import { sqlOn } from './dialect.ts'
import { jobWriter } from './job-changes.ts'
import type { Parts } from './parts.ts'

export const bulkMoves = ({ connection }: Parts): Pick<TaskStore, 'endPending' | 'reopen'> =>
  sharedMoves(sqlOn(connection), jobWriter(connection))
