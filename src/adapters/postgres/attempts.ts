// Stores attempts of tasks in bulk.
import type { Attempt } from '../../model/task.ts'
import type { BulkWrite, Gatherer } from './bulk-writes.ts'

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
