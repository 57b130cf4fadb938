// Conduct: consents of jobs, overrides of hosts, and the do-not-crawl lists.
import type { ConductNote, HostListing, HostOverride } from '../../model/conduct.ts'
import type { ConductStore } from '../../ports/service-stores.ts'
import { jobNumber } from './job-numbers.ts'
import { rowBefore } from './pages.ts'
import { isOrAny, numberAt, run, type Sql, type Steps } from './sql.ts'
import { findAll, findOne, stored } from './stored.ts'

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

const overrides = stored<HostOverride>('host_overrides', {
  host: 'plain',
  policy: 'json',
  pausedUntil: 'plain',
  pauseReason: 'plain',
  by: 'plain',
  at: 'plain',
})

type Overriding = Pick<ConductStore, 'setOverride' | 'overrides' | 'dropOverride'>

function overriding(sql: Sql): Overriding {
  return {
    async setOverride(override) {
      await sql.run(overrides.upsert, ...overrides.values(override))
    },

    overrides: host => findAll(sql, overrides, `WHERE ${isOrAny('host', '$1')} ORDER BY host`, host ?? null),
    dropOverride: async host => (await sql.run('DELETE FROM host_overrides WHERE host = $1', host)) === 1,
  }
}

const entries = stored<HostListing>('host_listings', {
  id: 'plain',
  list: 'plain',
  pattern: 'plain',
  state: 'plain',
  reason: 'plain',
  contact: 'plain',
  token: 'plain',
  createdAt: 'plain',
  decidedAt: 'plain',
  decidedBy: 'plain',
})

type Listing = Pick<
  ConductStore,
  'enterListing' | 'listing' | 'listings' | 'decide' | 'deleteListing' | 'version'
>

function listing(sql: Sql): Listing {
  return {
    async enterListing(entry) {
      await sql.run(entries.insert, ...entries.values(entry))
    },

    listing: id => findOne(sql, entries, 'WHERE id = $1', id),

    async listings({ states, list, limit = 100, cursor } = {}) {
      const before = await rowBefore(sql, 'host_listings', cursor)
      const inStates = states ? ` AND ${sql.among('state', '$4')}` : ''
      const clause = `WHERE no < $1 AND ${isOrAny('list', '$2')}${inStates} ORDER BY no DESC LIMIT $3`
      return findAll(sql, entries, clause, before, list ?? null, limit, ...(states ? [states] : []))
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
