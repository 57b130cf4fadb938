// The SQLite store: one file, one writing process, any number of readers that may leave control requests.
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../../model/failures.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import { activityStore } from './activity.ts'
import { taskAdder } from './add-tasks.ts'
import { answerStore } from './answers.ts'
import { groupCommit } from './commit.ts'
import { conductStore } from './conduct.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { erasureStore } from './erasure.ts'
import { asStoreFailure, withFailures } from './failures.ts'
import { hostStore } from './hosts.ts'
import { itemChangeStore } from './item-changes.ts'
import { jobStore } from './jobs.ts'
import { keyStore } from './keys.ts'
import { migrate, requireCurrent } from './migrations.ts'
import { Names } from './names.ts'
import { outboxStore } from './outbox.ts'
import { outputStore } from './outputs.ts'
import { recordStore } from './records.ts'
import { requestStore } from './requests.ts'
import { retentionStore } from './retention.ts'
import { scheduleStore } from './schedules.ts'
import { searchStore } from './search.ts'
import { sinkStore } from './sinks.ts'
import { taskStore } from './tasks.ts'
import { uploadStore } from './uploads.ts'

export interface SqliteOptions {
  path: string
  clock: Clock
  /** Reads an existing store and never changes it. */
  readOnly?: boolean
  /** How long to wait for another process's write before `store.busy`. */
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
  const guarded = <Face extends object>(face: Face): Face => withFailures(face, connection.path)
  return {
    jobs: guarded(jobStore(parts, addTasks)),
    tasks: guarded(taskStore(parts, addTasks)),
    records: guarded(recordStore(parts)),
    hosts: guarded(hostStore(parts)),
    outputs: guarded(outputStore(parts)),
    requests: guarded(requestStore(parts)),
    answers: guarded(answerStore(parts)),
    keys: guarded(keyStore(parts)),
    outbox: guarded(outboxStore(parts)),
    schedules: guarded(scheduleStore(parts)),
    uploads: guarded(uploadStore(parts)),
    search: guarded(searchStore(parts)),
    conduct: guarded(conductStore(parts)),
    activity: guarded(activityStore(parts)),
    sinks: guarded(sinkStore(parts)),
    itemChanges: guarded(itemChangeStore(parts)),
    retention: guarded(retentionStore(parts)),
    erasure: guarded(erasureStore(parts)),
    ...guarded({ commit: groupCommit(parts, addTasks), checkWritable: writeCheck(connection) }),
    [Symbol.asyncDispose]: async () => connection[Symbol.dispose](),
  }
}

/** A write without a change, to check the disk. */
const writeCheck = (connection: Connection) => async (): Promise<void> =>
  connection.write(() => void connection.run('UPDATE search_state SET seq = seq'))
