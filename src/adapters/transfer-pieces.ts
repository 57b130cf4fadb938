// The data that an import moves from one store to another: tables, with the column names of the target.

type ColumnType = 'bigint' | 'integer' | 'float8' | 'text' | 'boolean'
type Columns = Readonly<Record<string, ColumnType>>

/** Tables with data of each job. A table comes after the tables that it refers to. */
export const jobPieces = {
  tasks: {
    ...{ n: 'bigint', host: 'text', kind: 'text', depth: 'integer', priority: 'float8', state: 'text' },
    ...{ reason: 'text', attempt: 'integer', charged: 'integer', deaths: 'integer', not_before: 'bigint' },
    ...{ parent: 'bigint', duplicate_of: 'bigint', url: 'text', input: 'text', item_id: 'text' },
    ...{ message: 'text', way: 'text', way_why: 'text', policy: 'text' },
  },
  seen: { space: 'integer', key: 'bigint', n: 'bigint' },
  attempts: {
    ...{ n: 'bigint', attempt: 'integer', started_at: 'bigint', ended_at: 'bigint', outcome: 'text' },
    ...{ status: 'integer', bytes: 'bigint', worker: 'text', proxy: 'text', raw_key: 'text' },
    ...{ raw_offset: 'bigint', raw_length: 'bigint', message: 'text', way: 'text', artifacts: 'text' },
    ...{ read_ms: 'integer', store_ms: 'integer' },
  },
  host_paces: { host: 'text', requests: 'bigint', first_at: 'bigint', last_at: 'bigint' },
  job_steps: { at: 'bigint', outcome: 'text', attempts: 'bigint' },
  job_hours: {
    ...{
      at: 'bigint',
      host: 'text',
      outcome: 'text',
      attempts: 'bigint',
      pages: 'bigint',
      records: 'bigint',
    },
  },
  records: {
    ...{ n: 'bigint', idx: 'integer', status: 'integer', fetched_at: 'bigint', scraper: 'text' },
    ...{ final_url: 'text', data: 'text', provenance: 'text', way: 'text' },
  },
  failed_tasks: { n: 'bigint' },
  rejected: { row: 'bigint', text: 'text', reason: 'text' },
  conduct_notes: { what: 'text', value: 'text', who: 'text', at: 'bigint' },
  // Records get new numbers in the target, so only the count of written records is moved.
  outputs: { path: 'text', format: 'text', records: 'bigint', bytes: 'bigint', done: 'boolean' },
  answers: {
    ...{ key: 'text', n: 'bigint', checked_at: 'bigint', etag: 'text', last_modified: 'text' },
    ...{ body_key: 'text' },
  },
  reextractions: { maker: 'text', after: 'bigint', done: 'text' },
  idempotency_keys: { workspace: 'text', key: 'text', fingerprint: 'text' },
  job_counts: { bucket: 'text', value: 'bigint' },
} as const satisfies Record<string, Columns>

/** Data of the whole store that is moved before the jobs: keys, uploads, the state and robots.txt of hosts, overrides, and
 *  do-not-crawl lists. */
export const firstPieces = {
  api_keys: {
    ...{ id: 'text', hash: 'text', prefix: 'text', name: 'text', workspace: 'text', scopes: 'text' },
    ...{ limits: 'text', workspaces: 'text', created_at: 'bigint', revoked_at: 'bigint' },
  },
  uploads: {
    ...{ id: 'text', workspace: 'text', file_name: 'text', blob_key: 'text', key_id: 'text' },
    ...{ created_at: 'bigint', expires_at: 'bigint', completed_at: 'bigint', bytes: 'bigint' },
  },
  host_states: { host: 'text', state: 'text' },
  robots: {
    ...{ origin: 'text', fetched_at: 'bigint', expires_at: 'bigint', verdict: 'text', status: 'integer' },
    ...{ body: 'text', failures: 'integer' },
  },
  host_overrides: {
    ...{ host: 'text', policy: 'text', paused_until: 'bigint', pause_reason: 'text', by: 'text' },
    at: 'bigint',
  },
  host_listings: {
    ...{ id: 'text', list: 'text', pattern: 'text', state: 'text', reason: 'text', contact: 'text' },
    ...{ token: 'text', created_at: 'bigint', decided_at: 'bigint', decided_by: 'text' },
  },
} as const satisfies Record<string, Columns>

/** Data that is moved after the jobs: schedules, which start jobs, and webhooks, which report on them. */
export const lastPieces = {
  schedules: {
    ...{ id: 'text', workspace: 'text', name: 'text', cron: 'text', time_zone: 'text', job: 'text' },
    ...{ overlap: 'text', jitter_ms: 'bigint', paused: 'boolean', key_id: 'text', created_at: 'bigint' },
    ...{ next_tick: 'bigint', next_at: 'bigint' },
  },
  schedule_runs: {
    ...{ schedule_id: 'text', tick: 'bigint', at: 'bigint', outcome: 'text', job_id: 'text' },
    ...{ reason: 'text', catch_up: 'boolean' },
  },
  webhooks: {
    ...{ id: 'text', workspace: 'text', job_id: 'text', event: 'text', url: 'text', state: 'text' },
    ...{ attempts: 'integer', next_at: 'bigint', created_at: 'bigint', body: 'text' },
  },
  webhook_attempts: {
    ...{ webhook_id: 'text', attempt: 'integer', at: 'bigint', duration_ms: 'bigint', status: 'integer' },
    error: 'text',
  },
  requests: { job_id: 'text', kind: 'text', at: 'bigint' },
} as const satisfies Record<string, Columns>

type JobPiece = keyof typeof jobPieces
export type Piece = JobPiece | keyof typeof firstPieces | keyof typeof lastPieces

const pieces: Readonly<Record<string, Columns>> = { ...firstPieces, ...jobPieces, ...lastPieces }

export function columnsOf(piece: string): Columns {
  const columns = pieces[piece]
  if (!columns) throw new RangeError(`an import does not move ${piece}`)
  return columns
}
