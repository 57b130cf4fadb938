// Conduct: consents of jobs, overrides of hosts, and the do-not-crawl lists.
import type { ConductNote, HostListing, HostOverride, ListingState } from '../../model/conduct.ts'
import type { HostPolicyInput } from '../../model/policy/policy.ts'
import type { ConductStore } from '../../ports/service-stores.ts'
import { jobNumber } from './job-numbers.ts'
import { rowBefore } from './pages.ts'
import { isOrAny, numberAt, run, type Sql, type Steps } from './sql.ts'

export function conductStore(sql: Sql): ConductStore {
  return { ...noting(sql), ...overriding(sql), ...listing(sql) }
}

export function* enterNotes(jobNo: number, notes: readonly ConductNote[]): Steps<void> {
  const text = 'INSERT INTO conduct_notes (job_no, what, value, who, at) VALUES ($1, $2, $3, $4, $5)'
  for (const { what, value, who, at } of notes) yield* run(text, jobNo, what, value, who, at)
}

function noting(sql: Sql): Pick<ConductStore, 'note' | 'notes'> {
  return {
    note: (jobId, notes) =>
      sql.transaction(function* () {
        yield* enterNotes(yield* jobNumber(jobId), notes)
      }),

    notes: jobId =>
      sql.all<ConductNote>(
        `SELECT what, value, who, at FROM conduct_notes WHERE job_no = ${numberAt('$1')} ORDER BY no`,
        jobId,
      ),
  }
}

interface OverrideRow {
  host: string
  policy: string | null
  paused_until: number
  pause_reason: string | null
  by: string
  at: number
}

const overrideOf = (row: OverrideRow): HostOverride => ({
  host: row.host,
  policy: row.policy === null ? null : (JSON.parse(row.policy) as HostPolicyInput),
  pausedUntil: row.paused_until,
  pauseReason: row.pause_reason,
  by: row.by,
  at: row.at,
})

type Overriding = Pick<ConductStore, 'setOverride' | 'override' | 'overrides' | 'dropOverride'>

function overriding(sql: Sql): Overriding {
  return {
    async setOverride({ host, policy, pausedUntil, pauseReason, by, at }) {
      const text = `INSERT INTO host_overrides (host, policy, paused_until, pause_reason, by, at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (host) DO UPDATE SET policy = excluded.policy, paused_until = excluded.paused_until,
          pause_reason = excluded.pause_reason, by = excluded.by, at = excluded.at`
      const policyText = policy === null ? null : JSON.stringify(policy)
      await sql.run(text, host, policyText, pausedUntil, pauseReason, by, at)
    },

    async override(host) {
      const row = await sql.one<OverrideRow>('SELECT * FROM host_overrides WHERE host = $1', host)
      return row && overrideOf(row)
    },

    async overrides() {
      return (await sql.all<OverrideRow>('SELECT * FROM host_overrides ORDER BY host')).map(overrideOf)
    },

    dropOverride: async host => (await sql.run('DELETE FROM host_overrides WHERE host = $1', host)) === 1,
  }
}

interface ListingRow {
  id: string
  list: HostListing['list']
  pattern: string
  state: ListingState
  reason: string | null
  contact: string | null
  token: string | null
  created_at: number
  decided_at: number | null
  decided_by: string | null
}

const listingOf = (row: ListingRow): HostListing => ({
  id: row.id,
  list: row.list,
  pattern: row.pattern,
  state: row.state,
  reason: row.reason,
  contact: row.contact,
  token: row.token,
  createdAt: row.created_at,
  decidedAt: row.decided_at,
  decidedBy: row.decided_by,
})

type Listing = Pick<
  ConductStore,
  'enterListing' | 'listing' | 'listings' | 'decide' | 'deleteListing' | 'version'
>

function listing(sql: Sql): Listing {
  return {
    async enterListing(entry) {
      const { id, list, pattern, state, reason, contact, token, createdAt, decidedAt, decidedBy } = entry
      const text = `INSERT INTO host_listings
        (id, list, pattern, state, reason, contact, token, created_at, decided_at, decided_by)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
      const values = [id, list, pattern, state, reason, contact, token, createdAt, decidedAt, decidedBy]
      await sql.run(text, ...values)
    },

    async listing(id) {
      const row = await sql.one<ListingRow>('SELECT * FROM host_listings WHERE id = $1', id)
      return row && listingOf(row)
    },

    async listings({ states, list, limit = 100, cursor } = {}) {
      const before = await rowBefore(sql, 'host_listings', cursor)
      const inStates = states ? ` AND ${sql.among('state', '$4')}` : ''
      const text = `SELECT * FROM host_listings WHERE no < $1 AND ${isOrAny('list', '$2')}${inStates} ORDER BY no DESC LIMIT $3`
      const rows = await sql.all<ListingRow>(text, before, list ?? null, limit, ...(states ? [states] : []))
      return rows.map(listingOf)
    },

    async decide(id, { state, by, at }) {
      const text = 'UPDATE host_listings SET state = $1, decided_by = $2, decided_at = $3 WHERE id = $4'
      return (await sql.run(text, state, by, at, id)) === 1
    },

    deleteListing: async id => (await sql.run('DELETE FROM host_listings WHERE id = $1', id)) === 1,

    version: async () => JSON.stringify(await sql.one(versionText)),
  }
}

const versionText = `SELECT * FROM
  (SELECT count(*) AS listings, max(no) AS newest, max(decided_at) AS decided,
    count(*) FILTER (WHERE state IN ('proved', 'approved')) AS in_force FROM host_listings) AS of_listings,
  (SELECT count(*) AS overrides, max(at) AS changed FROM host_overrides) AS of_overrides`
