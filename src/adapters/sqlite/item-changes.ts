// Changes of job items. While a mirror is active, triggers record them in the same transaction.
import type { ItemTriggers } from '../sql/item-changes.ts'
import { itemChangeTable } from '../sql/tables.ts'
import { sqliteWords } from './table-words.ts'

export const itemChanges = itemChangeTable(sqliteWords)

const note = (name: string, when: string, n: string): string =>
  `CREATE TRIGGER IF NOT EXISTS ${name} ${when} BEGIN INSERT INTO item_changes (job_no, n) VALUES (new.job_no, ${n}); END`

const names = ['kscrape_new_item', 'kscrape_moved_item', 'kscrape_moved_job'] as const

export const itemTriggers: ItemTriggers = {
  find: `SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name = 'kscrape_moved_job'`,
  create: [
    note(names[0], 'AFTER INSERT ON tasks', 'new.n'),
    note(names[1], 'AFTER UPDATE OF state ON tasks WHEN old.state <> new.state', 'new.n'),
    note(names[2], 'AFTER UPDATE OF state ON jobs WHEN old.state <> new.state', '0'),
  ],
  drop: names.map(name => `DROP TRIGGER IF EXISTS ${name}`),
}
