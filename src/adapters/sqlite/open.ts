// The SQLite store: one file that one process owns. Other processes read it, and may store control requests in it.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../../model/failures.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { sharedStores } from '../sql/shared-stores.ts'
import { taskAdder } from './add-tasks.ts'
import { groupCommit } from './commit.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { sqlOn } from './dialect.ts'
import { hostQueries } from './erasure.ts'
import { asStoreFailure, withFailures, withStoreFailures } from './failures.ts'
import { itemTriggers } from './item-changes.ts'
import { jobWriter } from './job-changes.ts'
import { jobStore } from './jobs.ts'
import { migrate, requireCurrent } from './migrations.ts'
import { Names } from './names.ts'
import { recordStore } from './records.ts'
import { searchStore } from './search.ts'
import { taskStore } from './tasks.ts'

interface SqliteOptions {
  path: string
  clock: Clock
  /** Reads an existing store and never changes it. */
  readOnly?: boolean
  /** How long to wait for a write of another process, in milliseconds. Then calls fail with `store.busy`. */
  busyTimeoutMs?: number
}

export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { path, clock, readOnly = false, busyTimeoutMs = 5_000 } = options
  try {
    return storeOn(connect({ path, readOnly, busyTimeoutMs }), clock)
  } catch (error) {
    throw asStoreFailure(error, path)
  }
}

function connect({ path, readOnly, busyTimeoutMs }: ConnectionOptions): Connection {
  if (readOnly && !existsSync(path)) throw noStore(path)
  if (!readOnly) mkdirSync(dirname(path), { recursive: true })
  const connection = new Connection({ path, readOnly, busyTimeoutMs })
  try {
    if (readOnly) requireCurrent(connection)
    else migrate(connection)
    return connection
  } catch (error) {
    connection[Symbol.dispose]()
    throw error
  }
}

const noStore = (path: string): Failure =>
  new Failure('storage.failed', `There is no store at ${path}: run a job first, or check --data-dir`, {
    path,
  })

function storeOn(connection: Connection, clock: Clock): Store {
  const parts = { connection, names: new Names(connection), clock }
  const addTasks = taskAdder(parts)
  const sql = sqlOn(connection)
  const stores = {
    jobs: jobStore(parts, sql, addTasks),
    tasks: taskStore(parts, sql, addTasks),
    records: recordStore(parts, sql),
    search: searchStore(parts, sql),
    ...sharedStores(sql, {
      ...{ itemTriggers, endedJobs, horizon: everyRecord },
      writeJobs: jobWriter(connection),
      hostQueries: hostQueries(connection),
    }),
  }
  const own = { commit: groupCommit(parts, addTasks), checkWritable: writeCheck(connection) }
  return {
    ...withStoreFailures(stores, connection.path),
    ...withFailures(own, connection.path),
    [Symbol.asyncDispose]: async () => {
      await connection.checkpoints?.[Symbol.asyncDispose]()
      connection[Symbol.dispose]()
    },
  }
}

/** SQLite has one writer, so no record becomes visible before one with a lower number. */
const everyRecord = async (): Promise<number> => Number.MAX_SAFE_INTEGER

const endedJobs = `SELECT j.job_no, j.id, j.finished_at, j.schedule_id, s.spec ->> '$.retention' AS retention
  FROM jobs j JOIN job_specs s ON s.job_no = j.job_no
  WHERE j.job_no > $1 AND j.finished_at IS NOT NULL ORDER BY j.job_no LIMIT $2`

/** A write that changes nothing, to check that the disk is writable. */
const writeCheck = (connection: Connection) => async (): Promise<void> =>
  connection.write(() => void connection.run('UPDATE search_state SET seq = seq'))
