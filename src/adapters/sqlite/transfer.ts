// Reads a SQLite store in batches, to import it into another store.
import type { TransferBatch, TransferRow, TransferSource } from '../../ports/transfer.ts'
import { columnsOf, firstPieces, jobPieces, lastPieces, type Piece } from '../transfer-pieces.ts'
import { kindCodes, stateCodes, wayCodes } from './codes.ts'
import { Connection } from './connection.ts'
import { spelled } from './dialect.ts'
import { withFailures } from './failures.ts'
import { jobNumber } from './job-numbers.ts'
import { requireCurrent } from './migrations.ts'
import { noName } from './names.ts'

interface Reading {
  /** SQL for columns that have another name in the source or need a conversion. */
  select?: Readonly<Record<string, string>>
  /** Columns that give the rows a unique order. */
  order: ReadonlyArray<readonly [column: string, type: 'integer' | 'text']>
}

const word = (column: string): string => `(SELECT text FROM names WHERE id = t.${column})`
const wordOrNull = (column: string): string => `CASE WHEN t.${column} <> ${noName} THEN ${word(column)} END`

const readings: Readonly<Record<Piece, Reading>> = {
  tasks: {
    select: {
      host: word('host'),
      kind: spelled('t.kind', kindCodes),
      state: spelled('t.state', stateCodes),
      reason: wordOrNull('reason'),
      way: spelled('t.way', wayCodes),
    },
    order: [['n', 'integer']],
  },
  seen: {
    select: { key: 'CAST(t.key AS TEXT)' },
    order: [
      ['space', 'integer'],
      ['key', 'integer'],
    ],
  },
  attempts: {
    select: {
      outcome: word('outcome'),
      worker: word('worker'),
      proxy: word('proxy'),
      raw_key: word('raw_key'),
      way: spelled('t.way', wayCodes),
    },
    order: [
      ['n', 'integer'],
      ['attempt', 'integer'],
    ],
  },
  host_paces: { select: { host: word('host') }, order: [['host', 'integer']] },
  job_steps: {
    order: [
      ['at', 'integer'],
      ['outcome', 'text'],
    ],
  },
  job_hours: {
    order: [
      ['at', 'integer'],
      ['host', 'text'],
      ['outcome', 'text'],
    ],
  },
  records: { select: { scraper: word('scraper') }, order: [['seq', 'integer']] },
  failed_tasks: { order: [['seq', 'integer']] },
  rejected: { order: [['row', 'integer']] },
  conduct_notes: { order: [['no', 'integer']] },
  // If an output file is not complete, the target store writes it again from its start.
  outputs: {
    select: {
      records:
        'CASE t.done WHEN 1 THEN (SELECT count(*) FROM records r WHERE r.job_no = t.job_no AND r.seq <= t.seq) ELSE 0 END',
      bytes: 'CASE t.done WHEN 1 THEN t.bytes ELSE 0 END',
    },
    order: [['path', 'text']],
  },
  answers: { order: [['key', 'text']] },
  reextractions: { order: [['job_no', 'integer']] },
  idempotency_keys: {
    order: [
      ['workspace', 'text'],
      ['key', 'text'],
    ],
  },
  job_counts: { order: [['bucket', 'text']] },
  api_keys: { order: [['no', 'integer']] },
  uploads: { order: [['no', 'integer']] },
  schedules: { order: [['no', 'integer']] },
  schedule_runs: {
    order: [
      ['schedule_id', 'text'],
      ['tick', 'integer'],
    ],
  },
  webhooks: { order: [['no', 'integer']] },
  webhook_attempts: {
    select: { webhook_id: '(SELECT w.id FROM webhooks w WHERE w.no = t.webhook_no)' },
    order: [
      ['webhook_no', 'integer'],
      ['attempt', 'integer'],
    ],
  },
  host_states: { order: [['host', 'text']] },
  robots: { order: [['origin', 'text']] },
  host_overrides: { order: [['host', 'text']] },
  host_listings: { order: [['no', 'integer']] },
  requests: { order: [['id', 'integer']] },
}

/** Opens the source. The store must exist and have the current version. */
export async function openSqliteTransfer(path: string): Promise<TransferSource> {
  const connection = new Connection({ path, readOnly: true, busyTimeoutMs: 5_000 })
  try {
    requireCurrent(connection)
  } catch (error) {
    connection[Symbol.dispose]()
    throw error
  }
  return withFailures(transferOf(connection), path)
}

function transferOf(connection: Connection): TransferSource {
  return {
    firstPieces: Object.keys(firstPieces),
    jobPieces: Object.keys(jobPieces),
    lastPieces: Object.keys(lastPieces),
    jobs: async () =>
      connection.all<{ id: string }>('SELECT id FROM jobs ORDER BY job_no').map(({ id }) => id),
    nextNumber: async jobId =>
      connection.one<{ next_n: number }>('SELECT next_n FROM jobs WHERE id = ?', jobId)?.next_n ?? 1,
    count: async (piece, jobId) => {
      const { where, values } = scopeOf(connection, jobId)
      const text = `SELECT count(*) AS count FROM ${piece} t WHERE ${where}`
      return connection.one<{ count: number }>(text, ...values)!.count
    },
    read: async (piece, jobId, options) => readBatch(connection, piece as Piece, jobId, options),
    [Symbol.asyncDispose]: async () => connection[Symbol.dispose](),
  }
}

function scopeOf(connection: Connection, jobId: string | null): { where: string; values: number[] } {
  if (jobId === null) return { where: '1', values: [] }
  return { where: 't.job_no = ?', values: [jobNumber(connection, jobId)] }
}

function readBatch(
  connection: Connection,
  piece: Piece,
  jobId: string | null,
  { after, limit }: { after: string | null; limit: number },
): TransferBatch {
  const { order } = readings[piece]
  const names = order.map(([column]) => `t.${column}`).join(', ')
  const { where, values } = scopeOf(connection, jobId)
  const later = after === null ? '' : `AND (${names}) > (${order.map(() => '?').join(', ')})`
  const rows = connection.all<TransferRow>(
    `SELECT ${selected(piece)} FROM ${piece} t WHERE ${where} ${later} ORDER BY ${names} LIMIT ?`,
    ...values,
    ...placeOf(order, after),
    limit,
  )
  return { rows: rows.map(withoutPlace), next: rows.length < limit ? null : nextPlace(rows.at(-1)!, order) }
}

/** The position of a row is text, because a key may have 64 bits. */
function selected(piece: Piece): string {
  const { select = {}, order } = readings[piece]
  const columns = Object.keys(columnsOf(piece)).map(
    column => `${select[column] ?? `t.${column}`} AS ${column}`,
  )
  return [...columns, ...order.map(([column], index) => `CAST(t.${column} AS TEXT) AS "at ${index}"`)].join(
    ', ',
  )
}

const placeOf = (order: Reading['order'], after: string | null): Array<string | bigint> =>
  after === null
    ? []
    : (JSON.parse(after) as string[]).map((text, index) =>
        order[index]![1] === 'integer' ? BigInt(text) : text,
      )

const nextPlace = (row: TransferRow, order: Reading['order']): string =>
  JSON.stringify(order.map((_, index) => row[`at ${index}`]))

const withoutPlace = (row: TransferRow): TransferRow =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !name.startsWith('at ')))
