// Tests that readers that follow record numbers do not skip a record that is committed late.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { migratePostgres, openPostgresStore } from '../../src/adapters/postgres/open.ts'
import { systemClock } from '../../src/lib/clocks.ts'
import { startPostgres, type TestPostgres, undisturbed } from '../support/services/postgres.ts'
import { newJob, newTasks } from './store/fixtures.ts'

let postgres: TestPostgres
before(async () => {
  postgres = await startPostgres(undisturbed)
})
after(() => postgres[Symbol.asyncDispose]())

test('a reader waits for a record with a lower number that is committed later', async () => {
  const url = await postgres.freshUrl()
  await migratePostgres(url)
  await using store = await openPostgresStore({ url, clock: systemClock, connections: 2 })
  await store.jobs.create(newJob(), newTasks(2))
  const clients = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })]
  const [older, younger] = clients as [pg.Client, pg.Client]
  for (const client of clients) {
    client.on('error', () => {})
    await client.connect()
    await client.query('BEGIN')
    await client.query('SELECT pg_current_xact_id()')
  }
  const insert = (client: pg.Client, n: number) =>
    client.query(
      `INSERT INTO records (job_no, n, idx, status, fetched_at, scraper, final_url, data)
       SELECT job_no, $1, 0, 200, 1, 'page@1', 'https://shop.example/', '{}' FROM jobs`,
      [n],
    )
  // The transaction that begins last takes the first number, and stays open.
  await insert(younger, 1)
  await insert(older, 2)
  await older.query('COMMIT')

  assert.deepEqual(await store.sinks.next('sink', 10), [])
  assert.equal((await store.search.advance(10)).indexed, 0)
  await younger.query('COMMIT')
  const records = await store.sinks.next('sink', 10)
  assert.deepEqual(
    records.map(({ n }) => n),
    [1, 2],
  )
  assert.equal((await store.search.advance(10)).indexed, 2)
  for (const client of clients) await client.end()
})
