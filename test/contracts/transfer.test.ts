// Tests that every table and column is moved from one store to the other. New tables and columns must be added to the lists here.
import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { migratePostgres } from '../../src/adapters/postgres/open.ts'
import { openSqliteStore } from '../../src/adapters/sqlite/open.ts'
import { firstPieces, jobPieces, lastPieces } from '../../src/adapters/transfer-pieces.ts'
import { systemClock } from '../../src/lib/clocks.ts'
import { startPostgres, type TestPostgres } from '../support/services/postgres.ts'
import { temporaryFile } from '../support/temporary-file.ts'

const pieces: Record<string, Record<string, string>> = { ...firstPieces, ...jobPieces, ...lastPieces }

let postgres: TestPostgres
let columns: Map<string, Array<{ name: string; isOurs: boolean }>>
before(async () => {
  postgres = await startPostgres()
  columns = await columnsIn(await postgres.freshUrl())
})
after(() => postgres[Symbol.asyncDispose]())

async function columnsIn(url: string): Promise<typeof columns> {
  await migratePostgres(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    `SELECT table_name, column_name, is_identity = 'NO' AS ours FROM information_schema.columns WHERE table_schema = current_schema()`,
  )
  await client.end()
  const byTable = Map.groupBy(rows, row => row.table_name as string)
  return new Map(
    [...byTable].map(([table, own]) => [
      table,
      own.map(({ column_name: name, ours: isOurs }) => ({ name, isOurs })),
    ]),
  )
}

/** Tables that the target store creates again, or does not need. */
const notMoved = new Set([
  ...['jobs', 'job_specs', 'names', 'leases', 'deleted_jobs', 'search_state', 'sqlite_sequence'],
  ...[
    'record_words',
    'record_words_data',
    'record_words_idx',
    'record_words_content',
    'record_words_docsize',
  ],
  'record_words_config',
  // Records get other numbers in the target store, so sinks start from the first record and detect duplicates by id.
  ...['sinks', 'dead_letters'],
  // A mirror of the target store starts with all items of unfinished jobs, so it needs no earlier changes.
  'item_changes',
])

/** Columns that are not imported, because they belong to leases or the importing process sets them. */
const givenThere = new Set(['job_no', 'webhook_no', 'seq', 'owner', 'leased_at', 'lease_until'])

test('every table of the embedded store is either moved or listed as not moved', async () => {
  await using file = await temporaryFile('nothing', '')
  const path = join(dirname(file.path), 'store.sqlite')
  await (await openSqliteStore({ path, clock: systemClock }))[Symbol.asyncDispose]()
  const database = new DatabaseSync(path)
  const tables = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all()
  database.close()
  const forgotten = tables
    .map(({ name }) => String(name))
    .filter(name => !notMoved.has(name) && !(name in pieces))
  assert.deepEqual(forgotten, [], 'name it in src/adapters/transfer-pieces.ts, or here')
})

test('an import fills every column of the moved tables in the store of the cluster', () => {
  for (const [piece, moved] of Object.entries(pieces)) {
    const there = columns.get(piece)
    assert.ok(there, `${piece} is no table of the cluster's store`)
    const forgotten = there.filter(({ name, isOurs }) => isOurs && !(name in moved) && !givenThere.has(name))
    assert.deepEqual(
      forgotten.map(({ name }) => `${piece}.${name}`),
      [],
      'name it in src/adapters/transfer-pieces.ts',
    )
  }
})
