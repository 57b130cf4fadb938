// Processes that are told to stop while a service they stand on is away: gone in time, and nothing is lost.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestSite, type TestSite } from '../site/index.ts'
import { type RoleProcess, TestCluster } from '../support/cluster.ts'
import { FaultProxy } from '../support/services/fault-proxy.ts'

/** P9: with the grace time that is the default. */
const leaveWithinMs = 25_000
const graceMs = 10_000
const names = ['coordinator', 'http-worker', 'browser-worker', 'processor', 'ingest', 'api'] as const
const pages = 40
/** Asked for, and not answered before the service is away. */
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

const startAll = (): Promise<RoleProcess[]> =>
  Promise.all(names.map(name => cluster.start([name], {}, name === 'api' ? ['--port', '0'] : [])))

/** What is away, how it goes, and how it comes back. */
const absences: Array<[string, () => unknown, () => unknown]> = [
  ['Redis was killed', () => cluster.redis.kill(), () => cluster.redis.start()],
  ['Redis does not answer', () => doors.redis.swallow(), () => doors.redis.passOn()],
  ['PostgreSQL was killed', () => cluster.postgres.kill(), () => cluster.postgres.start()],
  ['PostgreSQL does not answer', () => doors.postgres.swallow(), () => doors.postgres.passOn()],
]

for (const [why, goAway, comeBack] of absences)
  test(`every role that is told to stop while ${why} is gone in time, and others end the job`, async t => {
    const running = await startAll()
    const holds = Array.from({ length: heldPages }, (_, at) => site.hold(`/page/${pages - at}`))
    const urls = Array.from({ length: pages }, (_, at) => `${site.url}/page/${at + 1}`)
    const job = await cluster.submit({ urls, policy: { host: { rate: 'unlimited' } } }, site)
    await Promise.all(holds.map(hold => hold.arrived()))
    await goAway()
    for (const hold of holds) hold.release()
    const left = await Promise.all(running.map(role => stopped(role)))
    t.diagnostic(names.map((name, at) => `${name} ${left[at]!.ms} ms`).join(', '))
    await comeBack()
    for (const [at, { code, ms }] of left.entries()) {
      assert.equal(code, 0, `${names[at]}: ${running[at]!.output().slice(-2_000)}`)
      assert.ok(ms < leaveWithinMs, `${names[at]} took ${ms} ms`)
    }
    const next = await startAll()
    const startedAt = Date.now()
    assert.equal((await cluster.ended(job.id, 120_000)).state, 'completed')
    t.diagnostic(`ended ${Date.now() - startedAt} ms after the others were up`)
    const { byState, records } = await cluster.store.jobs.counts(job.id)
    assert.deepEqual([byState.succeeded, records], [pages, pages])
    await Promise.all(next.map(role => role.kill('SIGTERM')))
  })

async function stopped(role: RoleProcess): Promise<{ code: number | null; ms: number }> {
  const askedAt = Date.now()
  const late = setTimeout(() => role.child.kill('SIGKILL'), 2 * leaveWithinMs)
  const code = await role.kill('SIGTERM')
  clearTimeout(late)
  return { code, ms: Date.now() - askedAt }
}
