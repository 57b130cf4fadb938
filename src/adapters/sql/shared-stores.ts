// The parts of the store that are the same in SQLite and PostgreSQL.
import type { Store } from '../../ports/store.ts'
import { activityStore } from './activity.ts'
import { answerStore } from './answers.ts'
import { conductStore } from './conduct.ts'
import { erasureStore, type HostQueries } from './erasure.ts'
import { hostStore } from './hosts.ts'
import { type ItemTriggers, itemChangeStore } from './item-changes.ts'
import { keyStore } from './keys.ts'
import { outboxStore } from './outbox.ts'
import { outputStore } from './outputs.ts'
import { requestStore } from './requests.ts'
import { retentionStore } from './retention.ts'
import { scheduleStore } from './schedules.ts'
import { sinkStore } from './sinks.ts'
import type { Sql, WriteJobs } from './sql.ts'
import { uploadStore } from './uploads.ts'

/** What differs between the two databases. */
interface Differences {
  /** The highest record number that sinks may read. */
  horizon: () => Promise<number>
  itemTriggers: ItemTriggers
  /** SQL for the jobs that have ended. */
  endedJobs: string
  writeJobs: WriteJobs
  hostQueries: HostQueries
}

type OwnStores = 'jobs' | 'tasks' | 'records' | 'search'

export const sharedStores = (
  sql: Sql,
  { horizon, itemTriggers, endedJobs, writeJobs, hostQueries }: Differences,
): Omit<Store, OwnStores | 'commit' | 'checkWritable' | typeof Symbol.asyncDispose> => ({
  hosts: hostStore(sql),
  outputs: outputStore(sql),
  requests: requestStore(sql),
  answers: answerStore(sql),
  keys: keyStore(sql),
  outbox: outboxStore(sql),
  schedules: scheduleStore(sql),
  uploads: uploadStore(sql),
  conduct: conductStore(sql),
  activity: activityStore(sql),
  sinks: sinkStore(sql, horizon),
  itemChanges: itemChangeStore(sql, itemTriggers),
  retention: retentionStore(sql, endedJobs),
  erasure: erasureStore(sql, writeJobs, hostQueries),
})
