// Faults of a cluster: whatever ends or forgets, every page is done once and nothing is lost.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient } from 'redis'
import { startTestSite, type TestSite } from '../site/index.ts'
import { type RoleProcess, TestCluster, until } from '../support/cluster.ts'

const pages = 1_000
let cluster: TestCluster
let site: TestSite
const roles: Record<string, RoleProcess> = {}

before(async () => {
  site = await startTestSite()
  for (let page = 1; page <= pages; page += 1) site.serve(`/page/${page}`, `<h1>Page ${page}</h1>`)
  cluster = await TestCluster.open({
    SCRAPER_ALLOW_PRIVATE: `${site.host}:${site.port}`,
    SCRAPER_CONCURRENCY: '8',
  })
  await start('coordinator', 'coordinator')
  await until('a leader', async () => (await token()) > 0)
  const started = [
    start('standby', 'coordinator'),
    start('worker', 'http-worker'),
    start('worker2', 'http-worker'),
    start('processor', 'processor'),
    start('processor2', 'processor'),
  ]
  await Promise.all(started)
})
after(async () => {
  await cluster[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

async function start(name: string, role: string): Promise<void> {
  const level = role === 'coordinator' ? 'info' : 'warn'
  roles[name] = await cluster.start([role], { SCRAPER_LOG_LEVEL: level })
}

/** Grows with every leader. */
async function token(): Promise<number> {
  const [row] = await cluster.sql<{ token: string }>('SELECT token FROM leaders')
  return Number(row?.token ?? 0)
}

/** The coordinator that said last that it leads. */
function leaderName(): string {
  const tokenOf = (role: RoleProcess) =>
    Number(
      role
        .output()
        .match(/"token":(\d+)/g)
        ?.at(-1)
        ?.slice(8) ?? 0,
    )
  return ['coordinator', 'standby'].toSorted((a, b) => tokenOf(roles[b]!) - tokenOf(roles[a]!))[0]!
}

/** A job of many pages, under way: so many are done. */
async function underWay(done = 40): Promise<string> {
  site.requests.length = 0
  const urls = Array.from({ length: pages }, (_, index) => `${site.url}/page/${index + 1}`)
  const { id } = await cluster.submit({ urls, policy: { host: { rate: 'unlimited' } } }, site)
  await until(
    'the first pages',
    async () => (await cluster.store.jobs.counts(id)).byState.succeeded >= done,
  ).catch(error => {
    throw new Error(`${error.message}\n${said()}`)
  })
  return id
}

const said = () =>
  Object.entries(roles)
    .map(([name, role]) => `${name}: ${role.output().slice(-1_500)}`)
    .join('\n')

/** Everything accepted has ended, each with one record; no page was asked for much more than once. */
async function assertWhole(jobId: string, mostRequests = 2): Promise<void> {
  const job = await cluster.ended(jobId, 60_000).catch(async error => {
    const counts = await cluster.store.jobs.counts(jobId).catch(() => null)
    throw new Error(`${error.message}\n${JSON.stringify(counts)}\n${said()}`)
  })
  assert.equal(job.state, 'completed')
  const counts = await cluster.store.jobs.counts(jobId)
  assert.equal(counts.byState.succeeded, pages)
  assert.equal(counts.records, pages)
  const held = await cluster.sql<{ count: string }>('SELECT count(*) FROM tasks WHERE owner IS NOT NULL')
  assert.equal(held[0]!.count, '0', 'leases are left')
  const most = Math.max(
    ...Array.from({ length: pages }, (_, at) => site.requestsTo(`/page/${at + 1}`).length),
  )
  assert.ok(most <= mostRequests, `a page was asked for ${most} times`)
}

test('a worker that is killed loses nothing: another one does what it had', async () => {
  const jobId = await underWay()
  await roles.worker!.kill('SIGKILL')
  await assertWhole(jobId)
  await start('worker', 'http-worker')
})

test('a processor that is killed loses nothing, and no record comes twice', async () => {
  const jobId = await underWay()
  await roles.processor!.kill('SIGKILL')
  await assertWhole(jobId)
  await start('processor', 'processor')
})

test('when the coordinator that leads is killed, the other one goes on within seconds', async () => {
  const jobId = await underWay()
  const before = await token()
  const id = leaderName()
  await roles[id]!.kill('SIGKILL')
  await until('another leader', async () => (await token()) > before, 5_000)
  await assertWhole(jobId)
  await start(id, 'coordinator')
})

test('a worker that stands still for longer than its lease does no harm when it goes on', async () => {
  const jobId = await underWay()
  roles.worker!.child.kill('SIGSTOP')
  await cluster.ended(jobId)
  roles.worker!.child.kill('SIGCONT')
  await assertWhole(jobId)
})

test('a Redis that forgets everything costs time, and nothing else', async () => {
  const jobId = await underWay()
  const redis = createClient({ url: cluster.redis.url })
  await redis.connect()
  await redis.flushAll()
  await redis.close()
  await assertWhole(jobId, 3)
})

test('a Redis that is killed and comes back empty costs time, and nothing else', async () => {
  const jobId = await underWay()
  await cluster.redis.kill()
  await cluster.redis.start()
  await assertWhole(jobId, 3)
})

test('a PostgreSQL that is killed and comes back loses nothing that was accepted', async () => {
  const jobId = await underWay()
  await cluster.postgres.kill()
  await cluster.postgres.start()
  await assertWhole(jobId, 3)
})

test('a worker that is stopped gives back what it has, and ends by itself', async () => {
  const jobId = await underWay()
  assert.equal(await roles.worker!.kill('SIGTERM'), 0)
  await assertWhole(jobId, 2)
  await start('worker', 'http-worker')
})

test('when every role is stopped, no lease is left, and the next ones go on', async () => {
  const jobId = await underWay()
  const codes = await Promise.all(Object.values(roles).map(role => role.kill('SIGTERM')))
  assert.deepEqual(new Set(codes), new Set([0]), said())
  const held = await cluster.sql<{ count: string }>('SELECT count(*) FROM tasks WHERE owner IS NOT NULL')
  await start('coordinator', 'coordinator')
  await start('worker', 'http-worker')
  await start('processor', 'processor')
  await assertWhole(jobId)
  assert.equal(held[0]!.count, '0', 'leases were left')
})
