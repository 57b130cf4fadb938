// The types and phrases of SQLite for the tables that both stores define.
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
