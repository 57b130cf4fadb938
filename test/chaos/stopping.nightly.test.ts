// Stops processes while a service that they need is down. They must end in time, and no work may be lost.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { type RoleProcess, TestCluster } from '../support/cluster.ts'
import { FaultProxy } from '../support/services/fault-proxy.ts'

/** In this test the grace period is 10 s, and the cleanup may take 11 s more. */
const leaveWithinMs = 25_000
const graceMs = 10_000
const alone = ['coordinator', 'http-worker', 'browser-worker', 'processor', 'ingest', 'api']
const together = ['all']
const pages = 40
/** Pages that are requested, but not answered before the service goes down. */
const heldPages = 6

let cluster: TestCluster
let site: TestSite
const doors = {} as { redis: FaultProxy; postgres: FaultProxy }
before(async () => {
  site = await startTestSite()
  for (let page = 1; page <= pages; page += 1) site.serve(`/page/${page}`, `<h1>Page ${page}</h1>`)
  cluster = await TestCluster.open(
    { SCRAPER_ALLOW_PRIVATE: `${site.host}:${site.port}`, SCRAPER_GRACE: `${graceMs}ms` },
    async ({ redis, postgres }, env) => {
      doors.redis = await FaultProxy.open(redis.port)
      doors.postgres = await FaultProxy.open(postgres.port)
      return {
        REDIS_URL: `redis://127.0.0.1:${doors.redis.port}`,
        DATABASE_URL: env.DATABASE_URL!.replace(`:${postgres.port}/`, `:${doors.postgres.port}/`),
      }
    },
  )
})
after(async () => {
  await cluster?.[Symbol.asyncDispose]()
  for (const door of Object.values(doors)) await door[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

const startAll = (names: readonly string[]): Promise<RoleProcess[]> =>
  Promise.all(names.map(name => cluster.start([name], { SCRAPER_PORT: '0' })))

interface Absence {
  goes: () => unknown
  comes: () => unknown
}

const redisKilled = { goes: () => cluster.redis.kill(), comes: () => cluster.redis.start() }
const redisSilent = { goes: () => doors.redis.swallow(), comes: () => doors.redis.passOn() }
const postgresKilled = { goes: () => cluster.postgres.kill(), comes: () => cluster.postgres.start() }
const postgresSilent = { goes: () => doors.postgres.swallow(), comes: () => doors.postgres.passOn() }

const trials: Array<[string, readonly string[], Absence]> = [
  ['every role that is told to stop while Redis is down', alone, redisKilled],
  ['every role that is told to stop while Redis does not answer', alone, redisSilent],
  ['every role that is told to stop while PostgreSQL is down', alone, postgresKilled],
  ['every role that is told to stop while PostgreSQL does not answer', alone, postgresSilent],
  ['a process with all roles that is told to stop while Redis does not answer', together, redisSilent],
]

for (const [who, names, { goes, comes }] of trials)
  test(`${who} stops within its grace period, and other processes finish the job`, async t => {
    const running = await startAll(names)
    const holds = Array.from({ length: heldPages }, (_, at) => site.hold(`/page/${pages - at}`))
    const urls = Array.from({ length: pages }, (_, at) => `${site.url}/page/${at + 1}`)
    const job = await cluster.submit({ urls, policy: { host: { rate: 'unlimited' } } }, site)
    await Promise.all(holds.map(hold => hold.arrived()))
    await goes()
    for (const hold of holds) hold.release()
    const left = await Promise.all(running.map(role => stopped(role)))
    t.diagnostic(names.map((name, at) => `${name} ${left[at]!.ms} ms`).join(', '))
    await comes()
    for (const [at, { code, ms }] of left.entries()) {
      assert.equal(code, 0, `${names[at]}: ${running[at]!.output().slice(-2_000)}`)
      assert.ok(ms < leaveWithinMs, `${names[at]} took ${ms} ms`)
    }
    const next = await startAll(names)
    const startedAt = Date.now()
    assert.equal((await cluster.ended(job.id, 120_000)).state, 'completed')
    t.diagnostic(`ended ${Date.now() - startedAt} ms after the others were up`)
    const { byState, records } = await cluster.store.jobs.counts(job.id)
    assert.deepEqual([byState.succeeded, records], [pages, pages])
    await Promise.all(next.map(role => role.kill('SIGTERM')))
  })

test('if a worker aborts tasks at the end of its grace period, they return to pending, even if all other processes stop too', async () => {
  // The longer grace period of the worker acts as if the worker had got the signal a second later than the other processes.
  const graces = { coordinator: '500ms', 'http-worker': '1500ms', processor: '500ms' }
  const running = await Promise.all(
    Object.entries(graces).map(([role, grace]) => cluster.start([role], { SCRAPER_GRACE: grace })),
  )
  const urls = [1, 2].map(page => `${site.url}/page/${page}`)
  using first = site.hold('/page/1')
  using second = site.hold('/page/2')
  const job = await cluster.submit({ urls, policy: { host: { rate: 'unlimited' } } }, site)
  await Promise.all([first.arrived(), second.arrived()])
  await Promise.all(running.map(role => role.kill('SIGTERM')))
  assert.deepEqual(await cluster.sql('SELECT url FROM tasks WHERE owner IS NOT NULL'), [])
  assert.equal((await cluster.store.jobs.counts(job.id)).byState.pending, 2)
})

async function stopped(role: RoleProcess): Promise<{ code: number | null; ms: number }> {
  const askedAt = Date.now()
  const late = setTimeout(() => role.child.kill('SIGKILL'), 2 * leaveWithinMs)
  const code = await role.kill('SIGTERM')
  clearTimeout(late)
  return { code, ms: Date.now() - askedAt }
}
