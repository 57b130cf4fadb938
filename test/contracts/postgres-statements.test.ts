// Tests that frequent operations of a crawl take few SQL statements, however many pages they contain.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { leaderGuard } from '../../src/adapters/postgres/leadership.ts'
import { migratePostgres, openPostgresStore } from '../../src/adapters/postgres/open.ts'
import { systemClock } from '../../src/lib/clocks.ts'
import type { HostState } from '../../src/model/host.ts'
import type { LeasedTask } from '../../src/model/task.ts'
import type { Store } from '../../src/ports/store.ts'
import { eventually } from '../support/eventually.ts'
import { startPostgres, type TestPostgres } from '../support/services/postgres.ts'
import {
  claim,
  commit,
  discoveryOf,
  newJob,
  newRecord,
  newTask,
  newTasks,
  settlementOf,
} from './store/fixtures.ts'

let postgres: TestPostgres
let url: string
let store: Store
let counter: pg.Client
before(async () => {
  postgres = await startPostgres(['shared_preload_libraries=pg_stat_statements'])
  url = await postgres.freshUrl()
  await migratePostgres(url)
  store = await openPostgresStore({ url, clock: systemClock, connections: 2 })
  counter = new pg.Client({ connectionString: url })
  await counter.connect()
  await counter.query('CREATE EXTENSION pg_stat_statements')
})
after(async () => {
  await counter.end()
  await store[Symbol.asyncDispose]()
  await postgres[Symbol.asyncDispose]()
})

async function asked(): Promise<number> {
  const text = `SELECT sum(calls)::integer AS calls FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'`
  return (await counter.query<{ calls: number }>(text)).rows[0]!.calls
}

async function statementsOf(work: () => Promise<unknown>): Promise<number> {
  const before = await asked()
  await work()
  return (await asked()) - before
}

/** A settlement with a record, a cached response, a URL and content of its own, and links to other pages. */
const settled = (task: LeasedTask) => {
  const name = BigInt(task.n)
  const answer = {
    ...{ key: `${task.jobId} ${task.n}`, checkedAt: 1, bodyKey: null },
    ...{ etag: null, lastModified: null },
  }
  const identity = { canonical: name, content: name }
  return settlementOf(task, { records: [newRecord()], identity, answer })
}

test('a commit takes six SQL statements, whatever the pages of several jobs contain', async () => {
  for (const id of ['one', 'two']) await store.jobs.create(newJob(id), newTasks(50))
  const tasks = [
    ...(await claim(store, systemClock, { jobId: 'one' })),
    ...(await claim(store, systemClock, { jobId: 'two' })),
  ]
  const discovered = tasks.map(task =>
    discoveryOf(task, {
      tasks: [newTask(task.n), newTask(100 + task.n), newTask(101 + task.n)],
      refused: { 'scope.refused': 2 },
    }),
  )

  const statements = await statementsOf(() => commit(store, { settlements: tasks.map(settled), discovered }))

  assert.equal(statements, 6)
  for (const id of ['one', 'two']) {
    const { pages, records, byState, linksRefused } = await store.jobs.counts(id)
    assert.deepEqual([pages, records, byState.succeeded, byState.pending], [50, 50, 50, 51])
    assert.deepEqual(linksRefused, { 'scope.refused': 100 })
    const found = await store.tasks.list(id, { states: ['pending'] })
    assert.deepEqual(
      found.map(({ n }) => n),
      Array.from({ length: 51 }, (_, index) => 51 + index),
    )
  }
})

test('a claim takes four SQL statements, including the check that the process still leads', async () => {
  await counter.query(`INSERT INTO leaders (name, token) VALUES ('cluster', 1)`)
  const guard = leaderGuard('cluster', 1)
  await using leading = await openPostgresStore({ url, clock: systemClock, connections: 1, guard })
  await store.jobs.create(newJob('claimed'), newTasks(50))

  const statements = await statementsOf(() =>
    claim(leading, systemClock, { jobId: 'claimed', limit: 20, state: 'queued' }),
  )

  assert.equal(statements, 4)
  const { byState } = await store.jobs.counts('claimed')
  assert.deepEqual([byState.pending, byState.queued], [30, 20])
})

test('a commit locks the counters last, so that claims of the same job do not wait for it', async () => {
  await store.jobs.create(newJob('counted'), newTasks(1))
  const settlements = (await claim(store, systemClock, { jobId: 'counted' })).map(settled)
  const hosts = [{ host: 'held.example' } as HostState]
  await counter.query(`BEGIN; INSERT INTO host_states VALUES ('held.example', '{}')`)

  const committing = commit(store, { settlements, hosts })
  const waiting = 'SELECT FROM pg_locks WHERE NOT granted'
  await eventually(
    'the commit to wait for the lock',
    async () => (await counter.query(waiting)).rowCount === 1,
  )
  const counts = `SELECT FROM job_counts JOIN jobs USING (job_no) WHERE id = 'counted' FOR UPDATE OF job_counts NOWAIT`
  const held = await counter.query(counts).catch((error: Error) => error.message)

  await counter.query('ROLLBACK')
  await committing
  assert.notEqual(typeof held, 'string', String(held))
})
