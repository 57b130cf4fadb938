// Permanently deletes the stored data of a host.
import { erasedPlace } from '../../model/erasure.ts'
import type { ErasedHost, ErasedTask, ErasureStore } from '../../ports/erasure.ts'
import { isOfHost, namesHost } from '../host-text.ts'
import { codeList } from './codes.ts'
import type { Connection } from './connection.ts'
import { writeJobs } from './job-changes.ts'
import { findJobNumber, jobNumber } from './job-numbers.ts'
import type { Parts } from './parts.ts'

const open = codeList(['pending', 'queued', 'in_progress'])

/** Numbers in a list, as one value. */
const within = (place: string): string => `IN (SELECT value FROM json_each(${place}))`

export function erasureStore({ connection, names }: Parts): ErasureStore {
  /** The numbers of names that fit, as JSON. */
  const hostNumbers = ({ text, fits }: ErasedHost): string => {
    const found = connection.all<{ id: number; text: string }>(
      'SELECT id, text FROM names WHERE instr(text, ?) > 0',
      text,
    )
    return JSON.stringify(found.filter(name => fits(name.text)).map(({ id }) => id))
  }
  return {
    async jobsOf(host) {
      const rows = connection.all<{ id: string; open: number }>(jobsText, hostNumbers(host), host.text)
      return rows.map(({ id, open }) => ({ jobId: id, open }))
    },

    async tasksOf(jobId, host, { after, limit }) {
      const jobNo = findJobNumber(connection, jobId)
      const rows = connection.all<TaskRow>(tasksText, jobNo, after, hostNumbers(host), host.text, limit)
      const tasks = rows.filter(row => row.is_own === 1 || isOfHost(host, `${row.url}\n${row.finals ?? ''}`))
      return { tasks: tasks.map(taskOf), after: rows.length < limit ? null : rows.at(-1)!.n }
    },

    async blankTasks(jobId, numbers) {
      const list = JSON.stringify(numbers)
      writeJobs(connection, changes => {
        const jobNo = jobNumber(connection, jobId)
        const some = `job_no = ?1 AND n ${within('?2')}`
        connection.run(`DELETE FROM answers WHERE ${some}`, jobNo, list)
        changes.count(jobNo, 'records', -connection.run(`DELETE FROM records WHERE ${some}`, jobNo, list))
        connection.run(
          `UPDATE attempts SET raw_key = NULL, raw_offset = NULL, raw_length = NULL, artifacts = NULL, message = NULL WHERE ${some}`,
          jobNo,
          list,
        )
        connection.run(
          `UPDATE tasks SET host = ?3, url = ?4, input = NULL, item_id = NULL, message = NULL, policy = NULL, way_why = NULL WHERE ${some}`,
          jobNo,
          list,
          names.idOf(erasedPlace.host),
          erasedPlace.url,
        )
        connection.run(`DELETE FROM dead_letters WHERE job_id = ?1 AND n ${within('?2')}`, jobId, list)
      })
    },

    async forgetHost(host, { dryRun }) {
      const found = rowsOf(connection, host)
      if (!dryRun) connection.write(() => forget(connection, found, hostNumbers(host)))
      return {
        robots: found.origins.length,
        hosts: found.hosts.length,
        webhooks: found.webhooks.length,
        rejected: found.rejected.length,
      }
    },

    async scrub() {
      // Words of deleted records stay in the index until it is merged, and rows until pages are rewritten.
      connection.write(() => connection.run(`INSERT INTO record_words (record_words) VALUES ('optimize')`))
      connection.exec('VACUUM')
      connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    },
  }
}

/** Candidates, filtered by URL afterwards. */
const jobsText = `
  WITH found AS (
    SELECT job_no FROM tasks WHERE host ${within('?1')} OR instr(url, ?2) > 0
    UNION SELECT job_no FROM records WHERE instr(final_url, ?2) > 0
  )
  SELECT j.id, (SELECT count(*) FROM tasks t WHERE t.job_no = j.job_no AND t.host ${within('?1')} AND t.state IN (${open})) AS open
  FROM found JOIN jobs j ON j.job_no = found.job_no ORDER BY j.job_no`

interface TaskRow {
  n: number
  item_id: string | null
  url: string
  is_own: 0 | 1
  records: number
  finals: string | null
}

const tasksText = `
  SELECT t.n, t.item_id, t.url, t.host ${within('?3')} AS is_own,
    (SELECT count(*) FROM records r WHERE r.job_no = t.job_no AND r.n = t.n) AS records,
    (SELECT group_concat(r.final_url, char(10)) FROM records r WHERE r.job_no = t.job_no AND r.n = t.n) AS finals
  FROM tasks t WHERE t.job_no = ?1 AND t.n > ?2 AND (
    t.host ${within('?3')} OR instr(t.url, ?4) > 0
    OR EXISTS (SELECT 1 FROM records r WHERE r.job_no = t.job_no AND r.n = t.n AND instr(r.final_url, ?4) > 0)
  ) ORDER BY t.n LIMIT ?5`

const taskOf = ({ n, item_id, records }: TaskRow): ErasedTask => ({ n, itemId: item_id, records })

interface Found {
  origins: string[]
  hosts: string[]
  webhooks: number[]
  rejected: Array<{ job_no: number; row: number }>
}

function rowsOf(connection: Connection, host: ErasedHost): Found {
  const { text, fits } = host
  const origins = connection.all<{ origin: string }>(
    'SELECT origin FROM robots WHERE instr(origin, ?) > 0',
    text,
  )
  const hosts = connection.all<{ host: string }>(
    'SELECT host FROM host_states WHERE instr(host, ?) > 0',
    text,
  )
  const webhooks = connection.all<{ no: number; body: string }>(
    'SELECT no, body FROM webhooks WHERE instr(body, ?) > 0',
    text,
  )
  const rejected = connection.all<{ job_no: number; row: number; text: string }>(
    'SELECT job_no, row, text FROM rejected WHERE instr(text, ?) > 0',
    text,
  )
  return {
    origins: origins.map(row => row.origin).filter(origin => fits(URL.parse(origin)?.host ?? '')),
    hosts: hosts.map(row => row.host).filter(fits),
    webhooks: webhooks.filter(({ body }) => namesHost(host, body)).map(({ no }) => no),
    rejected: rejected.filter(row => namesHost(host, row.text)),
  }
}

function forget(
  connection: Connection,
  { origins, hosts, webhooks, rejected }: Found,
  numbers: string,
): void {
  const remove = (table: string, column: string, values: unknown[]) =>
    connection.run(`DELETE FROM ${table} WHERE ${column} ${within('?')}`, JSON.stringify(values))
  remove('robots', 'origin', origins)
  remove('host_states', 'host', hosts)
  remove('webhook_attempts', 'webhook_no', webhooks)
  remove('webhooks', 'no', webhooks)
  connection.run(`DELETE FROM host_paces WHERE host ${within('?')}`, numbers)
  const named = `SELECT text FROM names WHERE id ${within('?')}`
  connection.run(`DELETE FROM job_hours WHERE host IN (${named})`, numbers)
  for (const { job_no, row } of rejected)
    connection.run('DELETE FROM rejected WHERE job_no = ? AND row = ?', job_no, row)
}
