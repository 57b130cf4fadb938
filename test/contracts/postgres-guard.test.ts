// Tests that PostgreSQL itself isolates workspaces: a query without a workspace sees no rows of other workspaces.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { Database } from '../../src/adapters/postgres/database.ts'
import { canKeepApart, migratePostgres, openPostgresStore } from '../../src/adapters/postgres/open.ts'
import { systemClock } from '../../src/lib/clocks.ts'
import type { Store } from '../../src/ports/store.ts'
import { startPostgres, type TestPostgres } from '../support/services/postgres.ts'
import { claim, newJob, newRecord, newTasks, settle, settlementOf } from './store/fixtures.ts'

let postgres: TestPostgres
let url: string
/** A store with the rights of workers. */
let store: Store
/** A store with the rights of an API process. */
let guarded: Store
let workspace = ''
before(async () => {
  postgres = await startPostgres()
  url = await postgres.freshUrl()
  await migratePostgres(url)
  store = await openPostgresStore({ url, clock: systemClock, connections: 2 })
  guarded = await openPostgresStore({ url, clock: systemClock, connections: 2, workspace: () => workspace })
  for (const name of ['one', 'two']) await fill(name)
})
after(async () => {
  await guarded[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
  await postgres[Symbol.asyncDispose]()
})

async function fill(name: string): Promise<void> {
  const origin = { workspace: name }
  await store.jobs.create(newJob(`job-${name}`, { origin }), newTasks(2))
  const [task] = await claim(store, systemClock, { jobId: `job-${name}`, limit: 1 })
  await settle(store, { ...settlementOf(task!), records: [newRecord()] })
  await store.keys.add({ ...key, id: `key-${name}`, workspace: name }, `hash-${name}`)
}

const key = {
  prefix: 'ks_1',
  name: 'one',
  scopes: ['read' as const],
  limits: {},
  workspaces: [],
  createdAt: 1,
}

test('the database user can switch to the role to which the row policies apply', async () => {
  assert.equal(await canKeepApart(url), true)
})

test('a query that names no workspace still sees only the caller’s rows', async () => {
  for (const name of ['one', 'two']) {
    const other = name === 'one' ? 'two' : 'one'
    workspace = name
    assert.deepEqual(
      (await guarded.jobs.list()).map(({ id }) => id),
      [`job-${name}`],
    )
    assert.equal(await guarded.jobs.get(`job-${other}`), null)
    assert.deepEqual(await guarded.records.list(`job-${other}`, { after: 0, limit: 10 }), [])
    assert.deepEqual(await guarded.tasks.list(`job-${other}`), [])
    assert.equal((await guarded.records.list(`job-${name}`, { after: 0, limit: 10 })).length, 1)
    assert.equal(await guarded.keys.byHash(`hash-${other}`), null)
    assert.equal(await guarded.jobs.move(`job-${other}`, ['pending', 'running'], 'cancelled'), false)
    await assert.rejects(guarded.jobs.counts(`job-${other}`), /no job/)
  }
  assert.equal((await store.jobs.get('job-one'))?.state, 'pending')
})

test('if no workspace is set, a statement without a condition finds and changes no row', async () => {
  await using database = await Database.open({ url, connections: 1, workspace: () => '' })
  for (const table of ['jobs', 'tasks', 'records', 'attempts', 'api_keys', 'job_counts'])
    assert.deepEqual(await database.all(`SELECT * FROM ${table}`), [], table)
  assert.equal(await database.run(`UPDATE tasks SET state = 'failed'`), 0)
  assert.equal(await database.run('DELETE FROM jobs'), 0)
})

test('a caller cannot write into another workspace', async () => {
  workspace = 'one'
  const job = newJob('smuggled', { origin: { workspace: 'two' } })
  await assert.rejects(guarded.jobs.create(job, []), /row-level security/)
  assert.equal(await store.jobs.get('smuggled'), null)
})

test('internal queries see all workspaces, and the row policies do not block workers', async () => {
  workspace = '*'
  assert.equal((await guarded.jobs.list()).length, 2)
  assert.equal((await store.jobs.list()).length, 2)
})

/** Tables that all workspaces share, or that only workers use. */
const shared = new Set([
  ...[
    'deleted_jobs',
    'host_states',
    'robots',
    'host_overrides',
    'host_listings',
    'record_words',
    'search_state',
  ],
  ...['leaders', 'imports', 'sinks', 'schema_version'],
])

test('every table is isolated by workspace or declared as shared', async () => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND NOT relrowsecurity`,
  )
  await client.end()
  const open = rows.map(({ name }) => name).filter(name => !shared.has(name))
  assert.deepEqual(
    open,
    [],
    'give it a policy (workspace-guard.ts, in a migration of its own), or name it here',
  )
})
