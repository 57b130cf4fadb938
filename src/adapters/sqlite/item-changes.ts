// Changes of job items, recorded by triggers in the same transaction while a mirror follows them.
import type { ItemChangeStore } from '../../ports/service-stores.ts'
import type { Parts } from './parts.ts'

export const itemChanges = `
  CREATE TABLE item_changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    job_no INTEGER NOT NULL,
    n INTEGER NOT NULL
  ) STRICT;
`

const noted: Record<string, string> = {
  kscrape_new_item: 'AFTER INSERT ON tasks',
  kscrape_moved_item: 'AFTER UPDATE OF state ON tasks WHEN old.state <> new.state',
}

const note = (name: string, when: string, n: string): string =>
  `CREATE TRIGGER IF NOT EXISTS ${name} ${when} BEGIN INSERT INTO item_changes (job_no, n) VALUES (new.job_no, ${n}); END`

export function itemChangeStore({ connection }: Parts): ItemChangeStore {
  const isFollowed = () =>
    connection.one(`SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = 'kscrape_moved_job'`) !==
    undefined
  return {
    async follow() {
      if (isFollowed()) return
      connection.write(() => {
        for (const [name, when] of Object.entries(noted)) connection.exec(note(name, when, 'new.n'))
        connection.exec(
          note('kscrape_moved_job', 'AFTER UPDATE OF state ON jobs WHEN old.state <> new.state', '0'),
        )
        connection.exec(`INSERT INTO item_changes (job_no, n) SELECT t.job_no, t.n FROM tasks t JOIN jobs j ON j.job_no = t.job_no
          WHERE j.finished_at IS NULL`)
      })
    },

    async leave() {
      if (!isFollowed()) return
      connection.write(() => {
        for (const name of [...Object.keys(noted), 'kscrape_moved_job'])
          connection.exec(`DROP TRIGGER IF EXISTS ${name}`)
        connection.exec('DELETE FROM item_changes')
      })
    },

    async next(limit) {
      const rows = connection.all<{ version: number; jobId: string; n: number }>(
        `SELECT c.seq AS version, coalesce(j.id, '') AS jobId, c.n
         FROM (SELECT * FROM item_changes ORDER BY seq LIMIT ?) c LEFT JOIN jobs j ON j.job_no = c.job_no ORDER BY c.seq`,
        limit,
      )
      return rows.map(row => ({ ...row }))
    },

    async forget(changes) {
      connection.write(() => {
        const drop = connection.prepare('DELETE FROM item_changes WHERE seq = ?')
        for (const { version } of changes) drop.run(version)
      })
    },
  }
}
