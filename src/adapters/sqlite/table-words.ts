// How SQLite spells the tables that both stores have.
import type { TableWords } from '../sql/tables.ts'

export const sqliteWords: TableWords = {
  int: 'INTEGER',
  short: 'INTEGER',
  flag: 'INTEGER',
  counted: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  name: 'TEXT',
  byKey: 'STRICT, WITHOUT ROWID',
  end: 'STRICT',
}
