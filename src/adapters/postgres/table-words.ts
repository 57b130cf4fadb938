// The types and phrases of PostgreSQL for the tables that both stores define.
import type { TableWords } from '../sql/tables.ts'

export const postgresWords: TableWords = {
  int: 'bigint',
  short: 'integer',
  flag: 'boolean',
  counted: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  name: 'text COLLATE "C"',
  byKey: '',
  end: '',
}
