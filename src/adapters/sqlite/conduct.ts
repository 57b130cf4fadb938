// Conduct: consents of jobs, overrides of hosts, and the do-not-crawl lists.
import type { ConductNote, Consent } from '../../model/conduct.ts'
import type { ConductStore } from '../../ports/service-stores.ts'
import { type ListingRow, listingOf, type OverrideRow, overrideOf } from '../rows/conduct-rows.ts'
import type { Connection } from './connection.ts'
import { findJobNumber, jobNumber } from './job-numbers.ts'
import { listOrAny, rowBefore } from './pages.ts'
import type { Parts } from './parts.ts'

export function conductStore({ connection }: Parts): ConductStore {
  return { ...noting(connection), ...overriding(connection), ...listing(connection) }
}

/** Inside a write. */
export function enterNotes(connection: Connection, jobNo: number, notes: readonly ConductNote[]): void {
  const text = 'INSERT INTO conduct_notes (job_no, what, value, who, at) VALUES (?, ?, ?, ?, ?)'
  for (const { what, value, who, at } of notes) connection.run(text, jobNo, what, value, who, at)
}

function noting(connection: Connection): Pick<ConductStore, 'note' | 'notes'> {
  return {
    async note(jobId, notes) {
      connection.write(() => enterNotes(connection, jobNumber(connection, jobId), notes))
    },

    async notes(jobId) {
      return connection
        .all<{ what: Consent; value: string; who: string; at: number }>(
          'SELECT what, value, who, at FROM conduct_notes WHERE job_no = ? ORDER BY no',
          findJobNumber(connection, jobId),
        )
        .map(({ what, value, who, at }) => ({ what, value, who, at }))
    },
  }
}

type Overriding = Pick<ConductStore, 'setOverride' | 'override' | 'overrides' | 'dropOverride'>

function overriding(connection: Connection): Overriding {
  return {
    async setOverride({ host, policy, pausedUntil, pauseReason, by, at }) {
      const text = `INSERT OR REPLACE INTO host_overrides (host, policy, paused_until, pause_reason, by, at)
        VALUES (?, ?, ?, ?, ?, ?)`
      const policyText = policy === null ? null : JSON.stringify(policy)
      connection.write(() => connection.run(text, host, policyText, pausedUntil, pauseReason, by, at))
    },

    async override(host) {
      const row = connection.one<OverrideRow>('SELECT * FROM host_overrides WHERE host = ?', host)
      return row ? overrideOf(row) : null
    },

    async overrides() {
      return connection.all<OverrideRow>('SELECT * FROM host_overrides ORDER BY host').map(overrideOf)
    },

    async dropOverride(host) {
      return connection.write(() => connection.run('DELETE FROM host_overrides WHERE host = ?', host)) === 1
    },
  }
}

type Listing = Pick<
  ConductStore,
  'enterListing' | 'listing' | 'listings' | 'decide' | 'deleteListing' | 'version'
>

function listing(connection: Connection): Listing {
  return {
    async enterListing(entry) {
      const { id, list, pattern, state, reason, contact, token, createdAt, decidedAt, decidedBy } = entry
      const text = `INSERT INTO host_listings
        (id, list, pattern, state, reason, contact, token, created_at, decided_at, decided_by)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
      const values = [id, list, pattern, state, reason, contact, token, createdAt, decidedAt, decidedBy]
      connection.write(() => connection.run(text, ...values))
    },

    async listing(id) {
      const row = connection.one<ListingRow>('SELECT * FROM host_listings WHERE id = ?', id)
      return row ? listingOf(row) : null
    },

    async listings({ states, list, limit = 100, cursor } = {}) {
      const rows = connection.all<ListingRow>(
        `SELECT * FROM host_listings WHERE no < ?1 AND (?2 IS NULL OR state IN (SELECT value FROM json_each(?2)))
           AND (?3 IS NULL OR list = ?3) ORDER BY no DESC LIMIT ?4`,
        rowBefore(connection, 'host_listings', cursor),
        listOrAny(states),
        list ?? null,
        limit,
      )
      return rows.map(listingOf)
    },

    async decide(id, { state, by, at }) {
      const text = 'UPDATE host_listings SET state = ?, decided_by = ?, decided_at = ? WHERE id = ?'
      return connection.write(() => connection.run(text, state, by, at, id)) === 1
    },

    async deleteListing(id) {
      return connection.write(() => connection.run('DELETE FROM host_listings WHERE id = ?', id)) === 1
    },

    async version() {
      return JSON.stringify(connection.one(versionSql))
    },
  }
}

const versionSql = `SELECT * FROM
  (SELECT count(*) AS listings, max(no) AS newest, max(decided_at) AS decided,
    total(state IN ('proved', 'approved')) AS in_force FROM host_listings),
  (SELECT count(*) AS overrides, max(at) AS changed FROM host_overrides)`
