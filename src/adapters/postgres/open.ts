// The PostgreSQL store, for any number of processes.
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { activityStore } from './activity.ts'
import { answerStore } from './answers.ts'
import { groupCommit } from './commit.ts'
import { conductStore } from './conduct.ts'
import { Database, type DatabaseOptions } from './database.ts'
import { erasureStore } from './erasure.ts'
import { hostStore } from './hosts.ts'
import { itemChangeStore } from './item-changes.ts'
import { jobStore } from './jobs.ts'
import { keyStore } from './keys.ts'
import { migrate, requireCurrent } from './migrations.ts'
import { outboxStore } from './outbox.ts'
import { outputStore } from './outputs.ts'
import { RecordHorizon } from './record-horizon.ts'
import { recordStore } from './records.ts'
import { requestStore } from './requests.ts'
import { retentionStore } from './retention.ts'
import { scheduleStore } from './schedules.ts'
import { searchStore } from './search.ts'
import { sinkStore } from './sinks.ts'
import { taskStore } from './tasks.ts'
import { uploadStore } from './uploads.ts'
import { guardedRole } from './workspace-guard.ts'

export interface PostgresOptions extends DatabaseOptions {
  clock: Clock
}

/** The schema must exist: `migratePostgres` creates it. */
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

/** `mark` names fault points for tests. */
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
  return {
    jobs: jobStore(database, now),
    tasks: taskStore(database, now),
    records: recordStore(database),
    hosts: hostStore(database),
    outputs: outputStore(database),
    requests: requestStore(database),
    answers: answerStore(database),
    keys: keyStore(database),
    outbox: outboxStore(database),
    schedules: scheduleStore(database),
    uploads: uploadStore(database),
    search: searchStore(database, horizon),
    conduct: conductStore(database),
    activity: activityStore(database),
    sinks: sinkStore(database, horizon),
    itemChanges: itemChangeStore(database),
    retention: retentionStore(database),
    erasure: erasureStore(database),
    commit: groupCommit(database),
    // A write without a change, to check the disk.
    checkWritable: async () => void (await database.run('UPDATE search_state SET seq = seq')),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
