// Permanently deletes the stored data of a host.
import { erasedPlace } from '../../model/erasure.ts'
import type { ErasedHost, ErasureStore } from '../../ports/erasure.ts'
import { blankRows, type HostsOfTasks, hostEraser } from '../sql/erasure.ts'
import { all, run, type Sql, type Steps } from '../sql/sql.ts'
import { codeList } from './codes.ts'
import { drive } from './dialect.ts'
import { writeJobs } from './job-changes.ts'
import { jobNumber } from './job-numbers.ts'
import type { Parts } from './parts.ts'

export function erasureStore({ connection, names }: Parts, sql: Sql): ErasureStore {
  return {
    ...hostEraser(sql, hostsOfTasks(sql)),

    async blankTasks(jobId, numbers) {
      writeJobs(connection, changes => {
        const jobNo = jobNumber(connection, jobId)
        const erased = { host: names.idOf(erasedPlace.host), url: erasedPlace.url }
        const removed = drive(connection, blankRows(sql, { jobId, jobNo }, numbers, erased))
        changes.count(jobNo, 'records', -removed)
      })
    },

    async scrub() {
      // Merge the index and rewrite the file: until then, words and rows of deleted records are still stored in them.
      connection.write(() => connection.run(`INSERT INTO record_words (record_words) VALUES ('optimize')`))
      connection.exec('VACUUM')
      connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    },
  }
}

/** Tasks refer to a host by the number of its name. */
function hostsOfTasks(sql: Sql): HostsOfTasks {
  const naming = `SELECT id, text FROM names WHERE ${sql.contains('text', '$1')}`
  type NameRow = { id: number; text: string }
  return {
    async find({ text, fits }) {
      const rows = await sql.all<NameRow>(naming, text)
      return rows.filter(name => fits(name.text)).map(({ id }) => id)
    },

    *forgetPaces({ text, fits }: ErasedHost): Steps<void> {
      const found = (yield* all<NameRow>(naming, text)).filter(name => fits(name.text))
      const ids = found.map(({ id }) => id)
      yield* run(`DELETE FROM host_paces WHERE ${sql.among('host', '$1')}`, ids)
      const texts = found.map(name => name.text)
      yield* run(`DELETE FROM job_hours WHERE ${sql.among('host', '$1')}`, texts)
    },

    openStates: codeList(['pending', 'queued', 'in_progress']),
    joinLines: column => `group_concat(${column}, char(10))`,
  }
}
