// Tests the migration that removes kscrape's own labels from the column `labels` of older jobs, because that column is searched.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { migratePostgres, openPostgresStore } from '../../src/adapters/postgres/open.ts'
import { openSqliteStore } from '../../src/adapters/sqlite/open.ts'
import { systemClock } from '../../src/lib/clocks.ts'
import type { Store } from '../../src/ports/store.ts'
import { startPostgres, type TestPostgres } from '../support/services/postgres.ts'
import { newJob, newTasks } from './store/fixtures.ts'

const directory = mkdtempSync(join(tmpdir(), 'kscrape-store-'))
let postgres: TestPostgres
before(async () => {
  postgres = await startPostgres()
})
after(async () => {
  rmSync(directory, { recursive: true })
  await postgres[Symbol.asyncDispose]()
})

/** The column `labels` of each job before the migration. */
const before16 = {
  mixed: { team: 'prices', monitor: 'geheim', 'monitor.1': 'geheim' },
  theirs: { firecrawl: 'geheim', 'firecrawl.10': 'geheim', 'firecrawl-monitor': 'geheim' },
  given: { monitored: 'geheim', 'monitor.x': 'geheim' },
  none: null,
}

async function enter(store: Store): Promise<void> {
  for (const id of Object.keys(before16)) await store.jobs.create(newJob(id), newTasks(0))
}

async function check(store: Store): Promise<void> {
  const found = async (text: string) => (await store.jobs.list({ text })).map(({ id }) => id)
  assert.deepEqual(await found('geheim'), ['given'])
  assert.deepEqual(await found('prices'), ['mixed'])
  assert.deepEqual((await store.jobs.list({ labels: before16.given })).length, 1)
}

test('the migration of an older SQLite store removes kscrape’s own labels, and keeps the labels of callers', async () => {
  const path = join(directory, 'old.sqlite')
  {
    await using store = await openSqliteStore({ path, clock: systemClock })
    await enter(store)
  }
  const file = new DatabaseSync(path)
  for (const [id, labels] of Object.entries(before16))
    file.prepare('UPDATE jobs SET labels = ? WHERE id = ?').run(labels && JSON.stringify(labels), id)
  const { user_version: version } = file.prepare('PRAGMA user_version').get() as { user_version: number }
  file.exec(`PRAGMA user_version = ${version - 1}`)
  file.close()
  await using store = await openSqliteStore({ path, clock: systemClock })
  await check(store)
})

test('the migration of an older PostgreSQL store removes kscrape’s own labels, also from the view for BI tools', async () => {
  const url = await postgres.freshUrl()
  await migratePostgres(url)
  await using store = await openPostgresStore({ url, clock: systemClock, connections: 2 })
  await enter(store)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const [id, labels] of Object.entries(before16))
    await client.query('UPDATE jobs SET labels = $1 WHERE id = $2', [labels && JSON.stringify(labels), id])
  await client.query('UPDATE schema_version SET version = version - 1')
  await migratePostgres(url)
  await check(store)
  const { rows } = await client.query('SELECT job_id, labels FROM bi_jobs ORDER BY job_id')
  await client.end()
  const { mixed, ...others } = { ...before16, theirs: {}, none: {} }
  const expected = { ...others, mixed: { team: mixed.team } }
  assert.deepEqual(Object.fromEntries(rows.map(row => [row.job_id, row.labels])), expected)
})
