// Settles the tasks of a group: checks attempt numbers, compares page identities, and writes the rows in bulk.
import type { Reason, TaskKind, TaskState } from '../../model/task.ts'
import type { CommitGroup, CommitResult, Settlement } from '../../ports/store.ts'
import { keepAnswers } from './answers.ts'
import { keepAttempts } from './attempts.ts'
import type { BulkWrite } from './bulk-writes.ts'
import type { Queries } from './database.ts'
import type { Identities } from './identities.ts'
import type { JobChanges, LockedJob } from './job-changes.ts'
import { rowsTable } from './rows.ts'
import { keepRecords } from './store-records.ts'

interface HeldRow {
  job_no: number
  n: number
  attempt: number
  owner: string
  state: TaskState
  kind: TaskKind
  host: string
}

/** The outcome of a settlement, after the comparison of page identities. */
interface Ending {
  jobNo: number
  settlement: Settlement
  held: TaskState
  kind: TaskKind
  host: string
  state: TaskState
  reason: Reason
  duplicateOf: number | null
}

/** A settlement with the number of its job. */
interface NumberedSettlement {
  jobNo: number
  settlement: Settlement
}

/** Data that must be read before writing: leases of the tasks, and owners of their identities. */
export interface SettleReads {
  held: HeldTasks
  identities: Identities
}

type HeldTasks = ReadonlyMap<string, HeldRow>

export function settleTasks(
  { owner, settlements }: CommitGroup,
  jobs: Map<string, LockedJob>,
  { held, identities }: SettleReads,
  changes: JobChanges,
): Pick<CommitResult, 'lost' | 'duplicates'> & { kept: Settlement[] } {
  const taken = new Set<string>()
  const kept: KeptSettlement[] = []
  const lost: CommitResult['lost'] = []
  for (const settlement of settlements) {
    const { jobId, n, attempt } = settlement
    const jobNo = jobs.get(jobId)?.jobNo
    const place = `${jobNo}.${n}`
    const row = held.get(place)
    if (jobNo === undefined || !row || row.owner !== owner || row.attempt !== attempt || taken.has(place))
      lost.push({ jobId, n })
    else {
      taken.add(place)
      kept.push({ jobNo, settlement, row })
    }
  }
  const endings = judge(identities, kept)
  identities.write(changes)
  writeEndings(endings, changes)
  const duplicates = endings.flatMap(({ settlement: { jobId, n }, duplicateOf, reason }) =>
    duplicateOf === null ? [] : [{ jobId, n, of: duplicateOf, reason }],
  )
  return { lost, duplicates, kept: kept.map(({ settlement }) => settlement) }
}

export async function heldTasks(
  queries: Queries,
  settlements: readonly NumberedSettlement[],
): Promise<HeldTasks> {
  if (settlements.length === 0) return new Map()
  const keys = settlements.map(({ jobNo, settlement: { n } }) => ({ job_no: jobNo, n }))
  const wanted = rowsTable('r', { job_no: 'bigint', n: 'bigint' }, keys)
  const rows = await queries.all<HeldRow>(
    `SELECT t.job_no, t.n, t.attempt, t.owner, t.state, t.kind, t.host
     FROM ${wanted.sql} JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n
     WHERE t.owner IS NOT NULL ORDER BY t.job_no, t.n FOR UPDATE OF t`,
    ...wanted.values,
  )
  return new Map(rows.map(row => [`${row.job_no}.${row.n}`, row]))
}

interface KeptSettlement extends NumberedSettlement {
  row: HeldRow
}

function judge(identities: Identities, kept: KeptSettlement[]): Ending[] {
  return kept.map(({ jobNo, settlement, row }): Ending => {
    const { state, reason } = settlement
    const { state: held, kind, host } = row
    const asIs = { jobNo, settlement, held, kind, host, state, reason, duplicateOf: null }
    if (state !== 'succeeded' || row.kind !== 'page') return asIs
    const duplicate = identities.judge({ jobNo, settlement })
    return duplicate ? { ...asIs, state: 'skipped', ...duplicate } : asIs
  })
}

function writeEndings(endings: Ending[], changes: JobChanges): void {
  if (endings.length === 0) return
  moveTasks(endings, changes)
  keepAttempts(
    changes,
    endings.map(({ jobNo, settlement: { n, attempt, history } }) => ({ jobNo, n, attempt, history })),
  )
  const originals = endings.filter(({ duplicateOf }) => duplicateOf === null)
  keepRecords(
    changes,
    originals.map(({ jobNo, settlement: { n, records } }) => ({ jobNo, n, records })),
  )
  keepAnswers(
    changes,
    endings.flatMap(({ jobNo, state, settlement: { n, answer } }) =>
      state === 'succeeded' && answer ? [{ jobNo, n, answer }] : [],
    ),
  )
  for (const ending of endings) countEnding(ending, changes)
}

const movedTasks = {
  name: 'moved_tasks',
  columns: {
    job_no: 'bigint',
    n: 'bigint',
    state: 'text',
    reason: 'text',
    message: 'text',
    not_before: 'bigint',
    charged: 'integer',
    duplicate_of: 'bigint',
    way: 'text',
    way_why: 'text',
    demoted_by: 'integer',
  },
  text: moved =>
    `UPDATE tasks t SET state = r.state, reason = r.reason, message = r.message, not_before = r.not_before,
       charged = t.charged + r.charged, duplicate_of = r.duplicate_of, owner = NULL, leased_at = NULL, lease_until = NULL,
       priority = t.priority + r.demoted_by, way = coalesce(r.way, t.way), way_why = CASE WHEN r.way IS NULL THEN t.way_why ELSE r.way_why END
     FROM ${moved} WHERE t.job_no = r.job_no AND t.n = r.n`,
} satisfies BulkWrite

function moveTasks(endings: Ending[], changes: JobChanges): void {
  const rows = endings.map(({ jobNo, settlement, state, reason, duplicateOf }) => ({
    job_no: jobNo,
    n: settlement.n,
    state,
    reason,
    message: settlement.message,
    not_before: state === 'pending' ? settlement.notBefore : 0,
    charged: Number(settlement.charged),
    duplicate_of: duplicateOf,
    way: settlement.next?.way ?? null,
    way_why: settlement.next?.why ?? null,
    demoted_by: settlement.demotedBy ?? 0,
  }))
  changes.add(movedTasks, rows)
}

function countEnding(
  { jobNo, settlement, held, kind, host, state, reason, duplicateOf }: Ending,
  changes: JobChanges,
): void {
  changes.countEnding(jobNo, { from: held, to: state, reason, kind }, settlement)
  const pages = state === 'succeeded' && kind === 'page' ? 1 : 0
  const records = duplicateOf === null ? settlement.records.length : 0
  changes.tried(jobNo, host, settlement.history, { pages, records })
}
