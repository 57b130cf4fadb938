// The SQLite part of the erasure: which columns contain host names, and the rewriting of the file.
import type { HostQueries } from '../sql/erasure.ts'
import type { Connection } from './connection.ts'

/** Tasks refer to a host by the number of its name. */
export const hostQueries = (connection: Connection): HostQueries => ({
  ofTasks: 'SELECT id AS stored, text AS name FROM names',
  ofCounts: 'SELECT id AS stored, text AS name FROM names',

  async scrub() {
    // Merge the index and rewrite the file: until then, words and rows of deleted records are still stored in them.
    connection.write(() => connection.run(`INSERT INTO record_words (record_words) VALUES ('optimize')`))
    connection.exec('VACUUM')
    await connection.checkpoints?.empty()
  },
})
