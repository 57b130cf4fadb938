// Settles the tasks of a group: fenced, judged by their identities, and written in bulk.
import type { Reason, TaskKind, TaskState } from '../../model/task.ts'
import type { CommitGroup, CommitResult, Settlement } from '../../ports/store.ts'
import { keepAnswers } from './answers.ts'
import { keepAttempts } from './attempts.ts'
import type { Queries } from './database.ts'
import { Identities } from './identities.ts'
import type { JobChanges, LockedJob } from './job-changes.ts'
import { keepRecords } from './keep-records.ts'
import { rowsTable } from './rows.ts'

interface HeldRow {
  job_no: number
  n: number
  attempt: number
  owner: string
  state: TaskState
  kind: TaskKind
}

/** How a settlement ends once its identities were looked at. */
export interface Ending {
  jobNo: number
  settlement: Settlement
  held: TaskState
  kind: TaskKind
  state: TaskState
  reason: Reason
  duplicateOf: number | null
}

export async function settleTasks(
  queries: Queries,
  { owner, settlements }: CommitGroup,
  jobs: Map<string, LockedJob>,
  changes: JobChanges,
): Promise<Pick<CommitResult, 'lost' | 'duplicates'>> {
  if (settlements.length === 0) return { lost: [], duplicates: [] }
  const held = await heldTasks(queries, settlements, jobs)
  const taken = new Set<string>()
  const kept: Array<{ jobNo: number; settlement: Settlement; row: HeldRow }> = []
  const lost: CommitResult['lost'] = []
  for (const settlement of settlements) {
    const { jobId, n, attempt } = settlement
    const jobNo = jobs.get(jobId)?.jobNo
    const row = held.get(`${jobNo}.${n}`)
    if (
      jobNo === undefined ||
      !row ||
      row.owner !== owner ||
      row.attempt !== attempt ||
      taken.has(`${jobNo}.${n}`)
    )
      lost.push({ jobId, n })
    else {
      taken.add(`${jobNo}.${n}`)
      kept.push({ jobNo, settlement, row })
    }
  }
  const endings = await judge(queries, kept)
  await writeEndings(queries, endings, changes)
  const duplicates = endings.flatMap(({ settlement: { jobId, n }, duplicateOf, reason }) =>
    duplicateOf === null ? [] : [{ jobId, n, of: duplicateOf, reason }],
  )
  return { lost, duplicates }
}

async function heldTasks(
  queries: Queries,
  settlements: Settlement[],
  jobs: Map<string, LockedJob>,
): Promise<Map<string, HeldRow>> {
  const keys = settlements.flatMap(({ jobId, n }) => {
    const job = jobs.get(jobId)
    return job ? [{ job_no: job.jobNo, n }] : []
  })
  const wanted = rowsTable('r', { job_no: 'bigint', n: 'bigint' }, keys)
  const rows = await queries.all<HeldRow>(
    `SELECT t.job_no, t.n, t.attempt, t.owner, t.state, t.kind
     FROM ${wanted.sql} JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n
     WHERE t.owner IS NOT NULL ORDER BY t.job_no, t.n FOR UPDATE OF t`,
    ...wanted.values,
  )
  return new Map(rows.map(row => [`${row.job_no}.${row.n}`, row]))
}

async function judge(
  queries: Queries,
  kept: Array<{ jobNo: number; settlement: Settlement; row: HeldRow }>,
): Promise<Ending[]> {
  const pages = kept.filter(({ settlement, row }) => settlement.state === 'succeeded' && row.kind === 'page')
  const identities = await Identities.read(queries, pages)
  const endings = kept.map(({ jobNo, settlement, row }): Ending => {
    const { state, reason } = settlement
    const asIs = { jobNo, settlement, held: row.state, kind: row.kind, state, reason, duplicateOf: null }
    if (state !== 'succeeded' || row.kind !== 'page') return asIs
    const duplicate = identities.judge(jobNo, settlement)
    return duplicate ? { ...asIs, state: 'skipped', ...duplicate } : asIs
  })
  await identities.write(queries)
  return endings
}

async function writeEndings(queries: Queries, endings: Ending[], changes: JobChanges): Promise<void> {
  if (endings.length === 0) return
  await moveTasks(queries, endings)
  await keepAttempts(
    queries,
    endings.map(({ jobNo, settlement: { n, attempt, history } }) => ({ jobNo, n, attempt, history })),
  )
  const originals = endings.filter(({ duplicateOf }) => duplicateOf === null)
  const records = await keepRecords(
    queries,
    originals.map(({ jobNo, settlement: { n, records } }) => ({ jobNo, n, records })),
  )
  for (const [jobNo, count] of records) changes.count(jobNo, 'records', count)
  await keepAnswers(
    queries,
    endings.flatMap(({ jobNo, state, settlement: { n, answer } }) =>
      state === 'succeeded' && answer ? [{ jobNo, n, answer }] : [],
    ),
  )
  for (const ending of endings) countEnding(ending, changes)
}

async function moveTasks(queries: Queries, endings: Ending[]): Promise<void> {
  const columns = {
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
  } as const
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
  }))
  const moved = rowsTable('r', columns, rows)
  await queries.run(
    `UPDATE tasks t SET state = r.state, reason = r.reason, message = r.message, not_before = r.not_before,
       charged = t.charged + r.charged, duplicate_of = r.duplicate_of, owner = NULL, leased_at = NULL, lease_until = NULL,
       way = coalesce(r.way, t.way), way_why = CASE WHEN r.way IS NULL THEN t.way_why ELSE r.way_why END
     FROM ${moved.sql} WHERE t.job_no = r.job_no AND t.n = r.n`,
    ...moved.values,
  )
}

function countEnding({ jobNo, settlement, held, kind, state, reason }: Ending, changes: JobChanges): void {
  const { history } = settlement
  changes.countMove(jobNo, held, state)
  changes.count(jobNo, 'bytes', history.bytes)
  if (history.way === 'browser') changes.count(jobNo, 'browserMs', history.endedAt - history.startedAt)
  if (settlement.exactlyParsed) changes.count(jobNo, 'exactlyParsed')
  if (state !== 'pending') changes.count(jobNo, `reason:${reason}`)
  if (state !== 'succeeded') return
  if (kind === 'page') changes.count(jobNo, 'pages')
  if (history.way === 'browser') changes.count(jobNo, 'rendered')
}
