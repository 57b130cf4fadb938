// Tests that no process waits forever if PostgreSQL or the network stops responding without an error.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Database } from '../../src/adapters/postgres/database.ts'
import { openLeadership } from '../../src/adapters/postgres/leadership.ts'
import { migratePostgres } from '../../src/adapters/postgres/open.ts'
import { patienceMs } from '../support/eventually.ts'
import { FaultProxy } from '../support/services/fault-proxy.ts'
import { startPostgres, type TestPostgres } from '../support/services/postgres.ts'

let postgres: TestPostgres
let proxy: FaultProxy
let url: string
/** The URL of the same database through a proxy that the test can close. */
let distant: string
before(async () => {
  postgres = await startPostgres()
  proxy = await FaultProxy.open(postgres.port)
  url = await postgres.freshUrl()
  distant = url.replace(`:${postgres.port}/`, `:${proxy.port}/`)
  await migratePostgres(url)
})
after(async () => {
  await proxy?.[Symbol.asyncDispose]()
  await postgres?.[Symbol.asyncDispose]()
})

test('a query without a response fails as retryable, and the next query uses a new connection', async () => {
  await using database = await Database.open({ url: distant, connections: 1, answerMs: 3_000 })
  const ask = () => database.one<{ one: number }>('SELECT 1 AS one')
  const enter = () =>
    database.transaction(async queries => {
      queries.send('UPDATE search_state SET seq = seq')
      return queries.one<{ one: number }>('SELECT 1 AS one')
    })
  for (const work of [ask, enter]) {
    assert.deepEqual(await work(), { one: 1 })
    proxy.swallow()
    await assert.rejects(work(), { code: 'store.busy' })
    proxy.passOn()
    assert.deepEqual(await work(), { one: 1 })
  }
})

test('if a leader disappears while its database session is still open, another process becomes leader', async () => {
  const name = 'silent'
  const never = new AbortController().signal
  await using gone = await openLeadership({ url: distant, name }).lead(never)
  proxy.swallow()
  await using next = await openLeadership({ url, name }).lead(AbortSignal.timeout(patienceMs))
  assert.ok(next, 'there was no leader for a minute')
  assert.equal(next.token, gone!.token + 1)
  assert.ok(gone!.lost.aborted)
  proxy.passOn()
})
