// Records in commit order, and the replacement of records by a re-extraction.

import { mostListedBytes } from '../../lib/listed-records.ts'
import { shownRow } from '../../model/hidden-row.ts'
import type { StoredRecord } from '../../model/record.ts'
import type { Reason, TaskState } from '../../model/task.ts'
import type { RecordStore, Reextraction, Replacement, Settlement } from '../../ports/store.ts'
import { kindCodes, stateCodes, stateOf, wayCodes } from './codes.ts'
import { identityJudge, recordKeeper } from './commit.ts'
import type { Connection } from './connection.ts'
import { type JobChanges, writeJobs } from './job-changes.ts'
import { findJobNumber, jobNumber } from './job-numbers.ts'
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
  WHERE r.job_no = (SELECT job_no FROM jobs WHERE id = ?)`

/** SQL for the last record that fits into the byte limit. Uses stored sizes, so the texts are not read. */
const lastFitting = `SELECT max(seq) FROM (SELECT seq, sum(size) OVER (ORDER BY seq) - size AS before FROM (
  SELECT r.seq, octet_length(r.data) + coalesce(octet_length(t.input), 0) AS size
  FROM records r JOIN tasks t ON t.job_no = r.job_no AND t.n = r.n
  WHERE r.job_no = (SELECT job_no FROM jobs WHERE id = ?) AND r.seq > ? ORDER BY r.seq LIMIT ?))
  WHERE before < ${mostListedBytes}`

export function recordStore(parts: Parts): RecordStore {
  const { connection, names } = parts
  const replaceOne = recordReplacer(parts)
  return {
    async list(jobId, { after, limit }) {
      const text = `SELECT ${recordColumns} AND r.seq > ? AND r.seq <= (${lastFitting}) ORDER BY r.seq`
      const rows = connection.all<RecordRow>(text, jobId, after, jobId, after, limit)
      return rows.map(row => recordOf(jobId, row, names))
    },

    async ofTask(jobId, n) {
      const text = `SELECT ${recordColumns} AND r.n = ? ORDER BY r.idx`
      return connection.all<RecordRow>(text, jobId, n).map(row => recordOf(jobId, row, names))
    },

    async replace(jobId, replacements, progress) {
      writeJobs(connection, changes => {
        const jobNo = jobNumber(connection, jobId)
        for (const replacement of replacements) replaceOne(jobNo, replacement, changes)
        // Reset the output files. Otherwise a process that continues a file would append the new records to the old ones.
        connection.run('UPDATE outputs SET seq = 0, bytes = 0, done = 0 WHERE job_no = ?', jobNo)
        saveReextraction(connection, jobNo, progress)
      })
    },

    async reextraction(jobId) {
      const row = connection.one<{ maker: string; after: number; done: string }>(
        'SELECT maker, after, done FROM reextractions WHERE job_no = ?',
        findJobNumber(connection, jobId),
      )
      return row ? { maker: row.maker, after: row.after, done: JSON.parse(row.done) } : null
    },
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
    changes.countMove(jobNo, stateOf(task.state), state)
    changes.count(jobNo, `reason:${names.textOf(task.reason) as Reason}`, -1)
    changes.count(jobNo, `reason:${reason}`)
    if (state !== 'succeeded') return false
    if (task.kind === kindCodes.page) changes.count(jobNo, 'pages')
    if (task.way === wayCodes.browser) changes.count(jobNo, 'rendered')
    return true
  }
}

function saveReextraction(connection: Connection, jobNo: number, progress: Reextraction | null): void {
  connection.run('DELETE FROM reextractions WHERE job_no = ?', jobNo)
  if (progress === null) return
  const text = 'INSERT INTO reextractions (job_no, maker, after, done) VALUES (?, ?, ?, ?)'
  connection.run(text, jobNo, progress.maker, progress.after, JSON.stringify(progress.done))
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
