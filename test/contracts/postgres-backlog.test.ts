// Tests the backlog on PostgreSQL: which tasks wait, run, or become due soon, by job, host and fetch mode.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openPostgresBacklog } from '../../src/adapters/postgres/backlog.ts'
import { migratePostgres, openPostgresStore } from '../../src/adapters/postgres/open.ts'
import { EgressGate } from '../../src/fetch/http/index.ts'
import { systemClock } from '../../src/lib/clocks.ts'
import { givenSpec } from '../../src/model/job.ts'
import { submitJob } from '../../src/pipeline/submit/submit-job.ts'
import type { Backlog } from '../../src/ports/backlog.ts'
import { Registry } from '../../src/scraper/registry.ts'
import { startPostgres } from '../support/services/postgres.ts'

const opened = new AsyncDisposableStack()
let backlog: Backlog
let sql: pg.Pool
let jobId: string
before(async () => {
  const postgres = opened.use(await startPostgres())
  const url = await postgres.freshUrl()
  await migratePostgres(url)
  const store = opened.use(await openPostgresStore({ url, clock: systemClock }))
  backlog = opened.use(await openPostgresBacklog(url))
  sql = new pg.Pool({ connectionString: url, max: 1 })
  opened.defer(() => sql.end())
  const urls = Array.from({ length: 6 }, (_, index) => `https://${index < 3 ? 'a' : 'b'}.example/${index}`)
  const parts = {
    store,
    clock: systemClock,
    gate: new EgressGate({ allowPrivate: [] }),
    registry: new Registry(),
  }
  jobId = (await submitJob(parts, givenSpec.parse({ urls }))).id
})
after(() => opened.disposeAsync())

test('tasks that become due before a given time are counted by job and host, with a separate count of browser tasks', async () => {
  const now = Date.now()
  assert.deepEqual(await backlog.soon(now + 60_000), [])
  await sql.query('UPDATE tasks SET not_before = $1 WHERE n = 1', [now + 30_000])
  await sql.query(`UPDATE tasks SET not_before = $1, way = 'browser' WHERE n = 2`, [now + 30_000])
  await sql.query('UPDATE tasks SET not_before = $1 WHERE n = 3', [now + 90_000])
  await sql.query(`UPDATE tasks SET way = 'browser' WHERE n = 4`)
  await sql.query(`UPDATE tasks SET way = 'browser', state = 'succeeded' WHERE n = 5`)
  const soon = await backlog.soon(now + 60_000)
  assert.deepEqual(
    soon.toSorted((a, b) => (a.host < b.host ? -1 : 1)),
    [
      { jobId, host: 'a.example', later: 2, rendered: 1 },
      { jobId, host: 'b.example', later: 0, rendered: 1 },
    ],
  )
})

test('a job that ended or was paused by a user has no due tasks', async () => {
  await sql.query(`UPDATE jobs SET state = 'paused'`)
  assert.deepEqual(await backlog.soon(Date.now() + 60_000), [])
})
