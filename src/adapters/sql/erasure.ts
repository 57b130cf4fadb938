// Permanently deletes the stored data of a host.
import { erasedPlace } from '../../model/erasure.ts'
import type { ErasedHost, ErasureStore } from '../../ports/erasure.ts'
import { deleteWebhooks } from './outbox.ts'
import { one, rowsText, run, type Sql, type Steps, type WriteJobs } from './sql.ts'

/** SQL that differs between the stores: SQLite stores the hosts of tasks as numbers. Each query returns `stored`, the stored form of
 *  a host, and `name`. */
export interface HostQueries {
  /** Hosts of tasks. */
  ofTasks: string
  /** Hosts with request counts or hourly counts. */
  ofCounts: string
  /** Removes the bytes of deleted rows from the files, as far as the store can do that. */
  scrub(): Promise<void>
}

interface TaskRow {
  n: number
  item_id: string | null
  url: string
  is_own: boolean | number
  records: number
  finals: string | null
}

export function erasureStore(sql: Sql, write: WriteJobs, hosts: HostQueries): ErasureStore {
  const { jobsText, tasksText } = textsOf(sql)
  return {
    scrub: hosts.scrub,

    async jobsOf(host) {
      const { stored } = await matching(sql, hosts.ofTasks, host)
      const rows = await sql.all<{ id: string; open: number }>(jobsText, stored, host.text)
      return rows.map(({ id, open }) => ({ jobId: id, open }))
    },

    async tasksOf(jobId, host, { after, limit }) {
      const { stored } = await matching(sql, hosts.ofTasks, host)
      const rows = await sql.all<TaskRow>(tasksText, jobId, after, stored, host.text, limit, '\n')
      const tasks = rows.filter(row => row.is_own || isOfHost(host, `${row.url}\n${row.finals ?? ''}`))
      return {
        tasks: tasks.map(({ n, item_id: itemId, records }) => ({ n, itemId, records })),
        after: rows.length < limit ? null : rows.at(-1)!.n,
      }
    },

    blankTasks: (jobId, numbers) =>
      write(function* (counters) {
        const job = yield* one<{ job_no: number }>('SELECT job_no FROM jobs WHERE id = $1', jobId)
        if (!job) return
        const removed = yield* blankRows(sql, { jobId, jobNo: job.job_no }, numbers)
        counters.count(job.job_no, 'records', -removed)
      }),

    async forgetHost(host, { dryRun }) {
      const found = await findRows(sql, host)
      const { stored, names } = await matching(sql, hosts.ofCounts, host)
      if (!dryRun)
        await sql.transaction(function* () {
          yield* forgetRows(sql, found)
          yield* run(`DELETE FROM host_paces WHERE ${sql.among('host', '$1')}`, stored)
          yield* run(`DELETE FROM job_hours WHERE ${sql.among('host', '$1')}`, names)
        })
      return {
        robots: found.origins.length,
        hosts: found.hosts.length,
        webhooks: found.webhooks.length,
        rejected: found.rejected.length,
      }
    },
  }
}

async function matching(
  sql: Sql,
  query: string,
  { text, fits }: ErasedHost,
): Promise<{ stored: string[] | number[]; names: string[] }> {
  type HostRow = { stored: string | number; name: string }
  const rows = await sql.all<HostRow>(`SELECT * FROM (${query}) h WHERE ${sql.contains('name', '$1')}`, text)
  const fitting = rows.filter(({ name }) => fits(name))
  return {
    stored: fitting.map(({ stored }) => stored) as string[] | number[],
    names: fitting.map(({ name }) => name),
  }
}

/** Queries for candidate rows. The results are then filtered by URL. */
const textsOf = (sql: Sql) => ({
  jobsText: `
    WITH found AS (
      SELECT job_no FROM tasks WHERE ${sql.among('host', '$1')} OR ${sql.contains('url', '$2')}
      UNION SELECT job_no FROM records WHERE ${sql.contains('final_url', '$2')}
    )
    SELECT j.id, (
      SELECT count(*) FROM tasks t WHERE t.job_no = j.job_no AND ${sql.among('t.host', '$1')} AND t.state IN (${sql.states(['pending', 'queued', 'in_progress'])})
    ) AS open FROM found JOIN jobs j ON j.job_no = found.job_no ORDER BY j.job_no`,
  tasksText: `
    SELECT t.n, t.item_id, t.url, ${sql.among('t.host', '$3')} AS is_own,
      (SELECT count(*) FROM records r WHERE r.job_no = t.job_no AND r.n = t.n) AS records,
      (SELECT string_agg(r.final_url, CAST($6 AS text)) FROM records r WHERE r.job_no = t.job_no AND r.n = t.n) AS finals
    FROM tasks t JOIN jobs j ON j.job_no = t.job_no WHERE j.id = $1 AND t.n > $2 AND (
      ${sql.among('t.host', '$3')} OR ${sql.contains('t.url', '$4')}
      OR EXISTS (
        SELECT 1 FROM records r WHERE r.job_no = t.job_no AND r.n = t.n AND ${sql.contains('r.final_url', '$4')}
      )
    ) ORDER BY t.n LIMIT $5`,
})

interface Found {
  origins: string[]
  hosts: string[]
  webhooks: number[]
  rejected: Array<{ job_no: number; row: number }>
}

async function findRows(sql: Sql, host: ErasedHost): Promise<Found> {
  const { text, fits } = host
  const naming = (table: string, column: string): string =>
    `FROM ${table} WHERE ${sql.contains(column, '$1')}`
  const origins = await sql.all<{ origin: string }>(`SELECT origin ${naming('robots', 'origin')}`, text)
  const hosts = await sql.all<{ host: string }>(`SELECT host ${naming('host_states', 'host')}`, text)
  const bodies = `SELECT no, body ${naming('webhooks', 'body')}`
  const webhooks = await sql.all<{ no: number; body: string }>(bodies, text)
  const lines = `SELECT job_no, row, text ${naming('rejected', 'text')}`
  const rejected = await sql.all<{ job_no: number; row: number; text: string }>(lines, text)
  return {
    origins: origins.map(row => row.origin).filter(origin => fits(URL.parse(origin)?.host ?? '')),
    hosts: hosts.map(row => row.host).filter(fits),
    webhooks: webhooks.filter(({ body }) => namesHost(host, body)).map(({ no }) => no),
    rejected: rejected.filter(row => namesHost(host, row.text)),
  }
}

function* forgetRows(sql: Sql, { origins, hosts, webhooks, rejected }: Found): Steps<void> {
  yield* run(`DELETE FROM robots WHERE ${sql.among('origin', '$1')}`, origins)
  yield* run(`DELETE FROM host_states WHERE ${sql.among('host', '$1')}`, hosts)
  yield* deleteWebhooks(sql, webhooks)
  const rows = sql.rows('$1', 'r', { job_no: 'bigint', row: 'bigint' })
  yield* run(
    `DELETE FROM rejected WHERE (job_no, row) IN (SELECT r.job_no, r.row FROM ${rows})`,
    rowsText(rejected.map(({ job_no, row }) => ({ job_no, row }))),
  )
}

/** Clears the rows of these tasks. Returns the number of deleted records. */
function* blankRows(
  sql: Sql,
  { jobId, jobNo }: { jobId: string; jobNo: number },
  numbers: readonly number[],
): Steps<number> {
  const some = `job_no = $1 AND ${sql.among('n', '$2', 'bigint')}`
  yield* run(`DELETE FROM answers WHERE ${some}`, jobNo, numbers)
  const removed = yield* run(`DELETE FROM records WHERE ${some}`, jobNo, numbers)
  yield* run(
    `UPDATE attempts SET raw_key = NULL, raw_offset = NULL, raw_length = NULL, artifacts = NULL, message = NULL WHERE ${some}`,
    jobNo,
    numbers,
  )
  if (sql.addWord) yield* run(sql.addWord, erasedPlace.host)
  yield* run(
    `UPDATE tasks SET host = ${sql.storedWord('$3')}, url = $4, input = NULL, item_id = NULL, message = NULL, policy = NULL, way_why = NULL WHERE ${some}`,
    ...[jobNo, numbers, erasedPlace.host, erasedPlace.url],
  )
  const letters = `DELETE FROM dead_letters WHERE job_id = $1 AND ${sql.among('n', '$2', 'bigint')}`
  yield* run(letters, jobId, numbers)
  return removed
}

/** Whether one of the URLs belongs to the host. `urls` has one URL per line. */
const isOfHost = ({ fits }: ErasedHost, urls: string): boolean =>
  urls.split('\n').some(url => {
    const host = URL.parse(url)?.host
    return host !== undefined && fits(host)
  })

/** Whether a text contains the host name. `notshop.example` does not contain `shop.example`. */
const namesHost = ({ fits }: ErasedHost, words: string): boolean =>
  (words.toLowerCase().match(hostLike) ?? []).some(fits)

const hostLike = /[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::\d+)?/g
