// Conduct: consents of jobs, overrides of hosts, and the do-not-crawl lists.
import type { ConductNote } from '../../model/conduct.ts'
import type { ConductStore } from '../../ports/service-stores.ts'
import { type ListingRow, listingOf, type OverrideRow, overrideOf } from '../rows/conduct-rows.ts'
import type { Database, Queries } from './database.ts'
import { jobNumber } from './job-numbers.ts'
import { rowBefore } from './pages.ts'

export function conductStore(database: Database): ConductStore {
  return { ...noting(database), ...overriding(database), ...listing(database) }
}

export async function enterNotes(
  queries: Queries,
  jobNo: number,
  notes: readonly ConductNote[],
): Promise<void> {
  const text = 'INSERT INTO conduct_notes (job_no, what, value, who, at) VALUES ($1, $2, $3, $4, $5)'
  for (const { what, value, who, at } of notes) await queries.run(text, jobNo, what, value, who, at)
}

function noting(database: Database): Pick<ConductStore, 'note' | 'notes'> {
  return {
    note: (jobId, notes) =>
      database.transaction(async queries => enterNotes(queries, await jobNumber(queries, jobId), notes)),

    notes: jobId =>
      database.all<ConductNote & Record<string, unknown>>(
        `SELECT what, value, who, at FROM conduct_notes
         WHERE job_no = (SELECT job_no FROM jobs WHERE id = $1) ORDER BY no`,
        jobId,
      ),
  }
}

type Overriding = Pick<ConductStore, 'setOverride' | 'override' | 'overrides' | 'dropOverride'>

function overriding(database: Database): Overriding {
  return {
    async setOverride({ host, policy, pausedUntil, pauseReason, by, at }) {
      await database.run(
        `INSERT INTO host_overrides (host, policy, paused_until, pause_reason, by, at) VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (host) DO UPDATE SET policy = $2, paused_until = $3, pause_reason = $4, by = $5, at = $6`,
        host,
        policy === null ? null : JSON.stringify(policy),
        pausedUntil,
        pauseReason,
        by,
        at,
      )
    },

    async override(host) {
      const row = await database.one<OverrideRow>('SELECT * FROM host_overrides WHERE host = $1', host)
      return row ? overrideOf(row) : null
    },

    async overrides() {
      return (await database.all<OverrideRow>('SELECT * FROM host_overrides ORDER BY host')).map(overrideOf)
    },

    dropOverride: async host =>
      (await database.run('DELETE FROM host_overrides WHERE host = $1', host)) === 1,
  }
}

type Listing = Pick<
  ConductStore,
  'enterListing' | 'listing' | 'listings' | 'decide' | 'deleteListing' | 'version'
>

function listing(database: Database): Listing {
  return {
    async enterListing(entry) {
      const { id, list, pattern, state, reason, contact, token, createdAt, decidedAt, decidedBy } = entry
      const text = `INSERT INTO host_listings
        (id, list, pattern, state, reason, contact, token, created_at, decided_at, decided_by)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
      const values = [id, list, pattern, state, reason, contact, token, createdAt, decidedAt, decidedBy]
      await database.run(text, ...values)
    },

    async listing(id) {
      const row = await database.one<ListingRow>('SELECT * FROM host_listings WHERE id = $1', id)
      return row ? listingOf(row) : null
    },

    async listings({ states, list, limit = 100, cursor } = {}) {
      const rows = await database.all<ListingRow>(
        `SELECT * FROM host_listings WHERE no < $1 AND ($2::text[] IS NULL OR state = ANY($2))
           AND ($3::text IS NULL OR list = $3) ORDER BY no DESC LIMIT $4`,
        await rowBefore(database, 'host_listings', cursor),
        states ?? null,
        list ?? null,
        limit,
      )
      return rows.map(listingOf)
    },

    async decide(id, { state, by, at }) {
      const text = 'UPDATE host_listings SET state = $1, decided_by = $2, decided_at = $3 WHERE id = $4'
      return (await database.run(text, state, by, at, id)) === 1
    },

    deleteListing: async id => (await database.run('DELETE FROM host_listings WHERE id = $1', id)) === 1,

    version: async () => JSON.stringify(await database.one(versionSql)),
  }
}

const versionSql = `SELECT * FROM
  (SELECT count(*) AS listings, max(no) AS newest, max(decided_at) AS decided,
    count(*) FILTER (WHERE state IN ('proved', 'approved')) AS in_force FROM host_listings) AS of_listings,
  (SELECT count(*) AS overrides, max(at) AS changed FROM host_overrides) AS of_overrides`
