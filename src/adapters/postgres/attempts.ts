// Attempts of tasks: stored in bulk, read per task.
import type { KeptArtifact } from '../../model/policy/rendering.ts'
import type { TaskWay } from '../../model/policy/way.ts'
import type { Attempt, Reason } from '../../model/task.ts'
import type { BulkWrite, Gatherer } from './bulk-writes.ts'
import type { Queries } from './database.ts'

interface KeptAttempt {
  jobNo: number
  n: number
  attempt: number
  history: Attempt
}

const columns = {
  job_no: 'bigint',
  n: 'bigint',
  attempt: 'integer',
  started_at: 'bigint',
  ended_at: 'bigint',
  outcome: 'text',
  status: 'integer',
  bytes: 'bigint',
  worker: 'text',
  proxy: 'text',
  raw_key: 'text',
  raw_offset: 'bigint',
  raw_length: 'bigint',
  message: 'text',
  way: 'text',
  artifacts: 'text',
  read_ms: 'integer',
  store_ms: 'integer',
} as const

type AttemptRow = Record<keyof typeof columns, unknown>

const names = Object.keys(columns).join(', ')

const keptAttempts = {
  name: 'kept_attempts',
  columns,
  text: attempts => `INSERT INTO attempts (${names}) SELECT ${names} FROM ${attempts}`,
} satisfies BulkWrite

export function keepAttempts(changes: Gatherer, attempts: KeptAttempt[]): void {
  if (attempts.length > 0) changes.add(keptAttempts, attempts.map(rowOf))
}

const rowOf = ({ jobNo, n, attempt, history }: KeptAttempt): AttemptRow => ({
  job_no: jobNo,
  n,
  attempt,
  started_at: history.startedAt,
  ended_at: history.endedAt,
  outcome: history.outcome,
  status: history.status,
  bytes: history.bytes,
  worker: history.worker,
  proxy: history.proxy,
  raw_key: history.raw?.key ?? null,
  raw_offset: history.raw?.offset ?? null,
  raw_length: history.raw?.length ?? null,
  message: history.message,
  way: history.way,
  artifacts: history.artifacts.length > 0 ? JSON.stringify(history.artifacts) : null,
  read_ms: history.readMs,
  store_ms: history.storeMs,
})

interface StoredAttempt {
  attempt: number
  started_at: number
  ended_at: number
  outcome: Reason
  status: number | null
  bytes: number
  worker: string
  proxy: string | null
  raw_key: string | null
  raw_offset: number
  raw_length: number
  message: string | null
  way: TaskWay
  artifacts: string | null
  read_ms: number | null
  store_ms: number | null
}

export async function readAttempts(queries: Queries, jobId: string, n: number): Promise<Attempt[]> {
  const rows = await queries.all<StoredAttempt>(
    `SELECT * FROM attempts WHERE job_no = (SELECT job_no FROM jobs WHERE id = $1) AND n = $2 ORDER BY attempt`,
    jobId,
    n,
  )
  return rows.map(attemptOf)
}

export async function readAttemptsOf(
  queries: Queries,
  jobId: string,
  numbers: readonly number[],
): Promise<Map<number, Attempt[]>> {
  const rows = await queries.all<StoredAttempt & { n: number }>(
    `SELECT * FROM attempts WHERE job_no = (SELECT job_no FROM jobs WHERE id = $1) AND n = ANY($2::bigint[]) ORDER BY n, attempt`,
    jobId,
    numbers,
  )
  const byTask = Map.groupBy(rows, ({ n }) => n)
  return new Map([...byTask].map(([n, own]) => [n, own.map(attemptOf)]))
}

export async function readRawKeys(queries: Queries, jobId: string): Promise<string[]> {
  const rows = await queries.all<{ raw_key: string }>(
    `SELECT DISTINCT raw_key FROM attempts
     WHERE job_no = (SELECT job_no FROM jobs WHERE id = $1) AND raw_key IS NOT NULL`,
    jobId,
  )
  return rows.map(row => row.raw_key)
}

function attemptOf(row: StoredAttempt): Attempt {
  const { attempt, outcome, message, status, worker, proxy, bytes, way } = row
  const { raw_key: key, raw_offset: offset, raw_length: length } = row
  return {
    ...{ attempt, outcome, message, status, worker, proxy, bytes, way },
    startedAt: row.started_at,
    endedAt: row.ended_at,
    raw: key === null ? null : { key, offset, length },
    artifacts: row.artifacts === null ? [] : (JSON.parse(row.artifacts) as KeptArtifact[]),
    readMs: row.read_ms,
    storeMs: row.store_ms,
  }
}
