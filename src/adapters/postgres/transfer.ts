// Imports another store. Each batch is stored with the progress, so that an interrupted import continues without duplicates.
import type { Job } from '../../model/job.ts'
import type { TransferPosition, TransferRow, TransferTarget } from '../../ports/transfer.ts'
import { jobNumber } from '../sql/job-numbers.ts'
import { originValues } from '../sql/job-origins.ts'
import { columnsOf, jobPieces } from '../transfer-pieces.ts'
import { Database, type Queries } from './database.ts'
import { drive } from './dialect.ts'
import { requireCurrent } from './migrations.ts'
import { withoutNul } from './rows.ts'

/** The pause reason of a job while it is imported. */
const heldReason = 'import'

/** Opens the target. The schema must exist; `migratePostgres` creates it. */
export async function openPostgresTransfer(url: string): Promise<TransferTarget> {
  const database = await Database.open({ url, connections: 2, statementMs: 120_000 })
  try {
    await requireCurrent(database)
    return transferInto(database)
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

function transferInto(database: Database): TransferTarget {
  return {
    begin: (source, job, nextNumber) =>
      database.transaction(async queries => {
        const known = `SELECT 1 FROM imports WHERE source = $1 AND piece = 'job' AND job_id = $2`
        if (await queries.one(known, source, job.id)) return true
        if (!(await enterHeld(queries, job, nextNumber))) return false
        await note(queries, source, 'job', job.id, { after: null, rows: 0, done: false })
        return true
      }),

    async position(source, piece, jobId) {
      const text = 'SELECT after, rows, done FROM imports WHERE source = $1 AND piece = $2 AND job_id = $3'
      const row = await database.one<TransferPosition & Record<string, unknown>>(
        text,
        source,
        piece,
        jobId ?? '',
      )
      return row ?? { after: null, rows: 0, done: false }
    },

    write: (source, piece, jobId, rows, position) =>
      database.transaction(async queries => {
        const jobNo = jobId === null ? null : await drive(queries, jobNumber(jobId))
        const added = rows.length === 0 ? 0 : await insert(queries, piece, jobNo, rows)
        await note(queries, source, piece, jobId ?? '', position)
        return added
      }),

    finish: (source, jobId, { state, reason, resumeAt }) =>
      database.transaction(async queries => {
        await queries.run(
          `UPDATE jobs SET state = $1, reason = $2, resume_at = $3
           WHERE id = $4 AND state = 'paused' AND reason = '${heldReason}'`,
          state,
          reason,
          resumeAt,
          jobId,
        )
        await note(queries, source, 'job', jobId, { after: null, rows: 1, done: true })
      }),

    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

/** Creates the job as paused. False if a job with that id exists. */
async function enterHeld(queries: Queries, job: Job, nextNumber: number): Promise<boolean> {
  const { workspace, face, keyId, scheduleId, traceparent } = job
  const entered = await queries.run(
    `INSERT INTO jobs (id, kind, state, reason, ingest, spec, next_n, created_at, started_at, finished_at,
       workspace, face, key_id, schedule_id, labels, traceparent)
     VALUES ($1, $2, 'paused', '${heldReason}', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) ON CONFLICT (id) DO NOTHING`,
    job.id,
    job.kind,
    JSON.stringify(job.ingest),
    withoutNul(JSON.stringify(job.spec)),
    nextNumber,
    job.createdAt,
    job.startedAt,
    job.finishedAt,
    ...originValues({ ...job, origin: { workspace, face, keyId, scheduleId, traceparent } }),
  )
  return entered === 1
}

async function note(
  queries: Queries,
  source: string,
  piece: string,
  jobId: string,
  { after, rows, done }: TransferPosition,
): Promise<void> {
  await queries.run(
    `INSERT INTO imports (source, piece, job_id, after, rows, done) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (source, job_id, piece) DO UPDATE SET after = excluded.after, rows = excluded.rows, done = excluded.done`,
    source,
    piece,
    jobId,
    after,
    rows,
    done,
  )
}

/** Inserts rows in their original order, because new row numbers must keep that order. */
async function insert(
  queries: Queries,
  piece: string,
  jobNo: number | null,
  rows: TransferRow[],
): Promise<number> {
  const columns = columnsOf(piece)
  const names = Object.keys(columns)
  const arrays = names.map((name, index) => `$${index + 1}::${columns[name]}[]`)
  const values = names.map(name => rows.map(row => storedValue(row[name] ?? null, columns[name]!)))
  const source = `unnest(${arrays.join(', ')}) WITH ORDINALITY AS r (${names.join(', ')}, ord)`
  const { into, select, join = '' } = shapeOf(piece, names)
  return queries.run(
    `INSERT INTO ${piece} (${into.join(', ')}) SELECT ${select.join(', ')} FROM ${source} ${join}
     ORDER BY r.ord ON CONFLICT DO NOTHING`,
    ...values,
    ...(jobNo === null ? [] : [jobNo]),
  )
}

function storedValue(value: TransferRow[string], type: string): unknown {
  if (value === null) return null
  if (type === 'boolean') return Boolean(value)
  return typeof value === 'string' ? withoutNul(value) : value
}

interface Shape {
  into: string[]
  select: string[]
  join?: string
}

/** The columns and expressions that insert rows of a piece. Most columns are copied, but some must refer to new row numbers.
 *  The last parameter is the job's number. */
function shapeOf(piece: string, names: string[]): Shape {
  const own = names.map(name => `r.${name}`)
  const job = `$${names.length + 1}::bigint`
  if (piece === 'webhook_attempts') return webhookAttempts(names)
  if (piece === 'outputs') return outputs(names, job)
  if (!(piece in jobPieces)) return { into: names, select: own }
  return { into: ['job_no', ...names], select: [job, ...own] }
}

function webhookAttempts(names: string[]): Shape {
  const rest = names.filter(name => name !== 'webhook_id')
  return {
    into: ['webhook_no', ...rest],
    select: ['w.no', ...rest.map(name => `r.${name}`)],
    join: 'JOIN webhooks w ON w.id = r.webhook_id',
  }
}

/** In the imported rows, `records` is a count. The store has the number of the last written record instead. */
function outputs(names: string[], job: string): Shape {
  const rest = names.filter(name => name !== 'records')
  const last = `(SELECT c.seq FROM records c WHERE c.job_no = ${job} ORDER BY c.seq OFFSET greatest(r.records - 1, 0) LIMIT 1)`
  return {
    into: ['job_no', 'seq', ...rest],
    select: [
      job,
      `CASE r.records WHEN 0 THEN 0 ELSE coalesce(${last}, 0) END`,
      ...rest.map(name => `r.${name}`),
    ],
  }
}
