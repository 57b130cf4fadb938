// Permanently deletes the stored data of a host.
import { erasedPlace } from '../../model/erasure.ts'
import type { ErasedHost, ErasedTask, ErasureStore } from '../../ports/erasure.ts'
import { isOfHost, namesHost } from '../host-text.ts'
import type { Database, Queries, Transaction } from './database.ts'
import { JobChanges } from './job-changes.ts'
import { rowsTable } from './rows.ts'

export function erasureStore(database: Database): ErasureStore {
  return {
    async jobsOf(host) {
      const names = await hostNames(database, host)
      const rows = await database.all<{ id: string; open: number }>(jobsText, names, host.text)
      return rows.map(({ id, open }) => ({ jobId: id, open }))
    },

    async tasksOf(jobId, host, { after, limit }) {
      const names = await hostNames(database, host)
      const rows = await database.all<TaskRow>(tasksText, jobId, after, names, host.text, limit)
      const tasks = rows.filter(row => row.is_own || isOfHost(host, `${row.url}\n${row.finals ?? ''}`))
      return { tasks: tasks.map(taskOf), after: rows.length < limit ? null : rows.at(-1)!.n }
    },

    blankTasks: (jobId, numbers) =>
      database.transaction(async queries => {
        const text = 'SELECT job_no FROM jobs WHERE id = $1'
        const job = await queries.one<{ job_no: number }>(text, jobId)
        if (job) await blank(queries, { jobId, jobNo: job.job_no }, numbers)
      }),

    forgetHost: (host, { dryRun }) =>
      database.transaction(async queries => {
        const found = await rowsOf(queries, host)
        if (!dryRun) await forget(queries, found)
        return {
          robots: found.origins.length,
          hosts: found.hosts.length,
          webhooks: found.webhooks.length,
          rejected: found.rejected.length,
        }
      }),

    /** Frees space; rows stay in the files until it is reused, or until VACUUM FULL by the owner. */
    async scrub() {
      await database.run('VACUUM records, tasks, attempts, webhooks, robots, host_states').catch(() => {})
    },
  }
}

const openStates = `('pending', 'queued', 'in_progress')`

const jobsText = `
  WITH found AS (
    SELECT job_no FROM tasks WHERE host = ANY($1::text[]) OR position($2 in url) > 0
    UNION SELECT job_no FROM records WHERE position($2 in final_url) > 0
  )
  SELECT j.id, (
    SELECT count(*) FROM tasks t WHERE t.job_no = j.job_no AND t.host = ANY($1::text[]) AND t.state IN ${openStates}
  ) AS open FROM found JOIN jobs j ON j.job_no = found.job_no ORDER BY j.job_no`

interface TaskRow {
  n: number
  item_id: string | null
  url: string
  is_own: boolean
  records: number
  finals: string | null
}

const tasksText = `
  SELECT t.n, t.item_id, t.url, t.host = ANY($3::text[]) AS is_own,
    (SELECT count(*) FROM records r WHERE r.job_no = t.job_no AND r.n = t.n) AS records,
    (SELECT string_agg(r.final_url, E'\\n') FROM records r WHERE r.job_no = t.job_no AND r.n = t.n) AS finals
  FROM tasks t JOIN jobs j ON j.job_no = t.job_no WHERE j.id = $1 AND t.n > $2 AND (
    t.host = ANY($3::text[]) OR position($4 in t.url) > 0
    OR EXISTS (SELECT 1 FROM records r WHERE r.job_no = t.job_no AND r.n = t.n AND position($4 in r.final_url) > 0)
  ) ORDER BY t.n LIMIT $5`

const taskOf = ({ n, item_id, records }: TaskRow): ErasedTask => ({ n, itemId: item_id, records })

async function hostNames(queries: Queries, { text, fits }: ErasedHost): Promise<string[]> {
  const rows = await queries.all<{ host: string }>(
    'SELECT DISTINCT host FROM tasks WHERE position($1 in host) > 0',
    text,
  )
  return rows.map(({ host }) => host).filter(fits)
}

async function blank(
  queries: Transaction,
  { jobId, jobNo }: { jobId: string; jobNo: number },
  numbers: readonly number[],
): Promise<void> {
  const some = 'job_no = $1 AND n = ANY($2::bigint[])'
  await queries.run(`DELETE FROM answers WHERE ${some}`, jobNo, numbers)
  const removed = await queries.run(`DELETE FROM records WHERE ${some}`, jobNo, numbers)
  await queries.run(
    `UPDATE attempts SET raw_key = NULL, raw_offset = NULL, raw_length = NULL, artifacts = NULL, message = NULL WHERE ${some}`,
    jobNo,
    numbers,
  )
  await queries.run(
    `UPDATE tasks SET host = $3, url = $4, input = NULL, item_id = NULL, message = NULL, policy = NULL, way_why = NULL WHERE ${some}`,
    ...[jobNo, numbers, erasedPlace.host, erasedPlace.url],
  )
  await queries.run('DELETE FROM dead_letters WHERE job_id = $1 AND n = ANY($2::bigint[])', jobId, numbers)
  const changes = new JobChanges()
  changes.count(jobNo, 'records', -removed)
  changes.write(queries)
}

interface Found {
  origins: string[]
  hosts: string[]
  webhooks: number[]
  rejected: Array<{ job_no: number; row: number }>
  paced: string[]
}

async function rowsOf(queries: Queries, host: ErasedHost): Promise<Found> {
  const { text, fits } = host
  const naming = (table: string, column: string): string =>
    `FROM ${table} WHERE position($1 in ${column}) > 0`
  const origins = await queries.all<{ origin: string }>(`SELECT origin ${naming('robots', 'origin')}`, text)
  const hosts = await queries.all<{ host: string }>(`SELECT host ${naming('host_states', 'host')}`, text)
  const paced = await queries.all<{ host: string }>(
    `SELECT DISTINCT host ${naming('host_paces', 'host')} UNION SELECT DISTINCT host ${naming('job_hours', 'host')}`,
    text,
  )
  const webhooks = await queries.all<{ no: number; body: string }>(
    `SELECT no, body ${naming('webhooks', 'body')}`,
    text,
  )
  const rejected = await queries.all<{ job_no: number; row: number; text: string }>(
    `SELECT job_no, row, text ${naming('rejected', 'text')}`,
    text,
  )
  return {
    origins: origins.map(row => row.origin).filter(origin => fits(URL.parse(origin)?.host ?? '')),
    hosts: hosts.map(row => row.host).filter(fits),
    webhooks: webhooks.filter(({ body }) => namesHost(host, body)).map(({ no }) => no),
    rejected: rejected.filter(row => namesHost(host, row.text)),
    paced: paced.map(row => row.host).filter(fits),
  }
}

async function forget(queries: Queries, { origins, hosts, webhooks, rejected, paced }: Found): Promise<void> {
  await queries.run('DELETE FROM robots WHERE origin = ANY($1::text[])', origins)
  await queries.run('DELETE FROM host_states WHERE host = ANY($1::text[])', hosts)
  await queries.run('DELETE FROM webhook_attempts WHERE webhook_no = ANY($1::bigint[])', webhooks)
  await queries.run('DELETE FROM webhooks WHERE no = ANY($1::bigint[])', webhooks)
  await queries.run('DELETE FROM host_paces WHERE host = ANY($1::text[])', paced)
  await queries.run('DELETE FROM job_hours WHERE host = ANY($1::text[])', paced)
  const rows = rowsTable('r', { job_no: 'bigint', row: 'bigint' }, rejected)
  await queries.run(
    `DELETE FROM rejected USING ${rows.sql} WHERE rejected.job_no = r.job_no AND rejected.row = r.row`,
    ...rows.values,
  )
}
