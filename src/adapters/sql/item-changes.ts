// Changes of job items. While a mirror is active, triggers record them in the same transaction.
import type { ItemChangeStore } from '../../ports/service-stores.ts'
import { run, type Sql } from './sql.ts'

/** The trigger statements of one store. */
export interface ItemTriggers {
  /** Returns a row if the triggers exist. */
  find: string
  create: readonly string[]
  drop: readonly string[]
}

export function itemChangeStore(sql: Sql, { find, create, drop }: ItemTriggers): ItemChangeStore {
  const isFollowed = async () => (await sql.one(find)) !== null
  return {
    async follow() {
      if (await isFollowed()) return
      await sql.transaction(function* () {
        for (const text of create) yield* run(text)
        yield* run(`INSERT INTO item_changes (job_no, n) SELECT t.job_no, t.n FROM tasks t JOIN jobs j ON j.job_no = t.job_no
          WHERE j.state IN ('pending', 'running', 'paused', 'finishing')`)
      })
    },

    async leave() {
      if (!(await isFollowed())) return
      await sql.transaction(function* () {
        for (const text of drop) yield* run(text)
        yield* run('DELETE FROM item_changes')
      })
    },

    next: limit =>
      sql.all<{ version: number; jobId: string; n: number }>(
        `SELECT c.seq AS version, coalesce(j.id, '') AS "jobId", c.n
         FROM (SELECT * FROM item_changes ORDER BY seq LIMIT $1) c LEFT JOIN jobs j ON j.job_no = c.job_no ORDER BY c.seq`,
        limit,
      ),

    async forget(changes) {
      const versions = changes.map(({ version }) => version)
      await sql.run(`DELETE FROM item_changes WHERE ${sql.among('seq', '$1', 'bigint')}`, versions)
    },
  }
}
