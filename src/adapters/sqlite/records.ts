// Records in commit order, and the replacement of records by a re-extraction.

import { shownRow } from '../../model/hidden-row.ts'
import type { StoredRecord } from '../../model/record.ts'
import type { Reason, TaskState } from '../../model/task.ts'
import type { RecordStore, Replacement, Settlement } from '../../ports/store.ts'
import { lastFitting, reextractionOf, saveReextraction } from '../sql/records.ts'
import { numberAt, type Sql } from '../sql/sql.ts'
import { kindOf, stateCodes, stateOf, wayOf } from './codes.ts'
import { identityJudge, recordKeeper } from './commit.ts'
import { drive } from './dialect.ts'
import { type JobChanges, writeJobs } from './job-changes.ts'
import { jobNumber } from './job-numbers.ts'
import type { Names } from './names.ts'
import type { Parts } from './parts.ts'

interface RecordRow {
  seq: number
  n: number
  idx: number
  status: number
  fetched_at: number
  scraper: number
  final_url: string
  data: string
  provenance: string | null
  way: string | null
  url: string
  item_id: string | null
  input: string | null
}

const recordColumns = `r.seq, r.n, r.idx, r.status, r.fetched_at, r.scraper, r.final_url, r.data, r.provenance, r.way,
  t.url, t.item_id, t.input FROM records r JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n
  WHERE r.job_no = ${numberAt('$1')}`

export function recordStore(parts: Parts, sql: Sql): RecordStore {
  const { connection, names } = parts
  const replaceOne = recordReplacer(parts)
  return {
    async list(jobId, { after, limit }) {
      const text = `SELECT ${recordColumns} AND r.seq > $2 AND r.seq <= (${lastFitting}) ORDER BY r.seq`
      const rows = connection.all<RecordRow>(text, jobId, after, limit)
      return rows.map(row => recordOf(jobId, row, names))
    },

    async ofTask(jobId, n) {
      const text = `SELECT ${recordColumns} AND r.n = $2 ORDER BY r.idx`
      return connection.all<RecordRow>(text, jobId, n).map(row => recordOf(jobId, row, names))
    },

    async replace(jobId, replacements, progress) {
      writeJobs(connection, changes => {
        const jobNo = jobNumber(connection, jobId)
        for (const replacement of replacements) replaceOne(jobNo, replacement, changes)
        drive(connection, saveReextraction(jobNo, progress))
      })
    },

    reextraction: reextractionOf(sql),
  }
}

interface EndedRow {
  state: number
  reason: number
  kind: number
  way: number
}

/** Replaces the records of a task that succeeded before or succeeds now. Other tasks keep their records. */
function recordReplacer(parts: Parts) {
  const { connection } = parts
  const findTask = connection.prepare('SELECT state, reason, kind, way FROM tasks WHERE job_no = ? AND n = ?')
  const remove = connection.prepare('DELETE FROM records WHERE job_no = ? AND n = ?')
  const forget = connection.prepare('DELETE FROM answers WHERE job_no = ? AND n = ?')
  const keep = recordKeeper(parts)
  const rescue = rescuer(parts)
  return (jobNo: number, { n, records, rescued }: Replacement, changes: JobChanges): void => {
    const task = findTask.get(jobNo, n) as EndedRow | undefined
    if (task === undefined) return
    const isRescued = rescued !== undefined && rescuable.has(stateOf(task.state))
    if (isRescued && !rescue(jobNo, n, task, rescued, changes)) return
    if (!isRescued && task.state !== stateCodes.succeeded) return
    const removed = Number(remove.run(jobNo, n).changes)
    forget.run(jobNo, n)
    changes.count(jobNo, 'records', keep(jobNo, n, records) - removed)
  }
}

const rescuable: ReadonlySet<TaskState> = new Set(['failed', 'skipped'])

/** Moves a task that failed or was skipped to its new state. Returns whether it now succeeds; false if it is a duplicate of
 *  another task. */
function rescuer(parts: Parts) {
  const { connection, names } = parts
  const judge = identityJudge(parts)
  const move = connection.prepare(
    'UPDATE tasks SET state = ?, reason = ?, message = NULL, duplicate_of = ? WHERE job_no = ? AND n = ?',
  )
  return (
    jobNo: number,
    n: number,
    task: EndedRow,
    identity: Settlement['identity'],
    changes: JobChanges,
  ): boolean => {
    const { state, reason, duplicateOf } = judge(
      jobNo,
      { n, state: 'succeeded', reason: 'ok', identity },
      task.kind,
    )
    move.run(stateCodes[state], names.idOf(reason), duplicateOf, jobNo, n)
    const ended = { from: stateOf(task.state), to: state, reason, kind: kindOf(task.kind) }
    changes.countRescue(jobNo, ended, names.textOf(task.reason) as Reason, wayOf(task.way))
    return state === 'succeeded'
  }
}

function recordOf(jobId: string, row: RecordRow, names: Names): StoredRecord {
  return {
    seq: row.seq,
    jobId,
    n: row.n,
    index: row.idx,
    url: row.url,
    finalUrl: row.final_url,
    itemId: row.item_id,
    status: row.status,
    fetchedAt: row.fetched_at,
    scraper: names.textOf(row.scraper),
    data: row.data,
    provenance: row.provenance,
    ...shownRow(row.input, row.way),
  }
}
