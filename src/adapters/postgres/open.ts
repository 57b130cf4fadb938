// The PostgreSQL store, for any number of processes.
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { sharedStores } from '../sql/shared-stores.ts'
import { groupCommit } from './commit.ts'
import { Database, type DatabaseOptions } from './database.ts'
import { sqlOn } from './dialect.ts'
import { hostQueries } from './erasure.ts'
import { itemTriggers } from './item-changes.ts'
import { jobWriter } from './job-changes.ts'
import { jobStore } from './jobs.ts'
import { migrate, requireCurrent } from './migrations.ts'
import { RecordHorizon } from './record-horizon.ts'
import { recordStore } from './records.ts'
import { searchStore } from './search.ts'
import { taskStore } from './tasks.ts'
import { guardedRole } from './workspace-guard.ts'

export interface PostgresOptions extends DatabaseOptions {
  clock: Clock
}

/** Opens the store. The schema must exist; `migratePostgres` creates it. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const database = await Database.open(options)
  try {
    await requireCurrent(database)
    return storeOn(database, options.clock)
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

/** Whether the database supports row-level separation of workspaces. */
export async function canKeepApart(url: string): Promise<boolean> {
  await using database = await Database.open({ url, connections: 1 })
  const found = await database.one<{ can: boolean }>(
    `SELECT coalesce((SELECT pg_has_role(current_user, oid, 'MEMBER') FROM pg_roles WHERE rolname = $1), false) AS can`,
    guardedRole,
  )
  return found!.can
}

/** `mark` is called with the names of fault points, for fault tests. */
export async function migratePostgres(
  url: string,
  mark?: (point: string) => void,
): Promise<{ from: number; to: number }> {
  await using database = await Database.open({ url, connections: 2, statementMs: 600_000, answerMs: 0 })
  return await migrate(database, mark)
}

function storeOn(database: Database, clock: Clock): Store {
  const now = () => clock.now()
  const horizon = new RecordHorizon()
  const sql = sqlOn(database)
  return {
    jobs: jobStore(database, sql, now),
    tasks: taskStore(database, sql, now),
    records: recordStore(database, sql),
    search: searchStore(database, sql, horizon),
    ...sharedStores(sql, {
      ...{ itemTriggers, endedJobs },
      horizon: () => horizon.read(database),
      writeJobs: jobWriter(database),
      hostQueries: hostQueries(database),
    }),
    commit: groupCommit(database),
    // A write that changes nothing, to check that the disk is writable.
    checkWritable: async () => void (await database.run('UPDATE search_state SET seq = seq')),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

const endedJobs = `SELECT job_no, id, finished_at, schedule_id, spec::jsonb ->> 'retention' AS retention FROM jobs
  WHERE job_no > $1 AND finished_at IS NOT NULL ORDER BY job_no LIMIT $2`
