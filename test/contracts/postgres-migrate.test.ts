// Tests kscrape migrate: run twice, run concurrently, and followed by a process of the previous version.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { migratePostgres, openPostgresStore } from '../../src/adapters/postgres/open.ts'
import { systemClock } from '../../src/lib/clocks.ts'
import { startPostgres, type TestPostgres } from '../support/services/postgres.ts'
import { newJob, newTasks } from './store/fixtures.ts'

let postgres: TestPostgres
before(async () => {
  postgres = await startPostgres()
})
after(() => postgres[Symbol.asyncDispose]())

/** Migrates the database like a program that is this many versions newer. */
async function migratedAhead(versions: number): Promise<string> {
  const url = await postgres.freshUrl()
  await migratePostgres(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('UPDATE schema_version SET version = version + $1', [versions])
  await client.end()
  return url
}

test('two concurrent migrations create one schema, and a third migration does nothing', async () => {
  const url = await postgres.freshUrl()
  const [one, other] = await Promise.all([migratePostgres(url), migratePostgres(url)])
  assert.equal(one.to, other.to)
  assert.deepEqual(await migratePostgres(url), { from: one.to, to: one.to })
})

test('a process of the previous version can start and work after the migration', async () => {
  const url = await migratedAhead(1)
  await using store = await openPostgresStore({ url, clock: systemClock, connections: 2 })
  const job = newJob()
  await store.jobs.create(job, newTasks(2))
  assert.equal((await store.jobs.counts(job.id)).tasks, 2)
})

test('if the program is too old for the database, the error says so; if tables are missing, the error names the command to run', async () => {
  const ahead = await migratedAhead(2)
  await assert.rejects(openPostgresStore({ url: ahead, clock: systemClock }), { message: /use the newer/ })
  const empty = await postgres.freshUrl()
  await assert.rejects(openPostgresStore({ url: empty, clock: systemClock }), {
    message: /`kscrape migrate`/,
  })
})
