// Tests coordinators that share the hosts: each host has one leader, each job ends once, and a dead leader is replaced soon.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { EgressGate } from '../../../src/fetch/http/index.ts'
import { systemClock } from '../../../src/lib/clocks.ts'
import { shardOf } from '../../../src/lib/shard-of.ts'
import { givenSpec, type Job, type JobSpecInput } from '../../../src/model/job.ts'
import { submitJob } from '../../../src/pipeline/submit/submit-job.ts'
import { Registry } from '../../../src/scraper/registry.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { type RoleProcess, TestCluster, until } from '../../support/cluster.ts'

const shards = 4
let cluster: TestCluster
/** The same site under several names, each a separate host. */
let sites: TestSite[]
let coordinators: RoleProcess[]
let worker: RoleProcess
before(async () => {
  sites = await Promise.all(Array.from({ length: 6 }, () => startTestSite()))
  cluster = await TestCluster.open({
    SCRAPER_ALLOW_PRIVATE: sites.map(({ host, port }) => `${host}:${port}`).join(','),
    SCRAPER_SHARDS: String(shards),
    SCRAPER_LOG_LEVEL: 'info',
  })
  coordinators = await Promise.all([cluster.start(['coordinator']), cluster.start(['coordinator'])])
  worker = await cluster.start(['http-worker', 'processor', 'ingest'])
})
after(async () => {
  await cluster[Symbol.asyncDispose]()
  for (const site of sites) await site[Symbol.asyncDispose]()
})

const hostOf = ({ host, port }: TestSite) => `${host}:${port}`
const quick = { host: { rate: 'unlimited' as const } }

/** Stores a job as the API would. */
function submit(spec: JobSpecInput): Promise<Job> {
  const gate = new EgressGate({ allowPrivate: sites.map(hostOf) })
  const parts = { store: cluster.store, clock: systemClock, gate, registry: new Registry() }
  return submitJob(parts, givenSpec.parse(spec))
}

/** The names of the database sessions of leaders. A leader holds a shared lock. A process that only checks whether there is a
 *  leader holds an exclusive lock for a moment. */
const leaders = async (): Promise<string[]> => {
  const rows = await cluster.sql<{ application_name: string }>(
    `SELECT a.application_name FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid
     WHERE l.locktype = 'advisory' AND l.mode = 'ShareLock' AND l.granted`,
  )
  return rows.map(({ application_name: name }) => name).sort()
}

const all = ['kscrape cluster', 'kscrape cluster.1', 'kscrape cluster.2', 'kscrape cluster.3']
const everyShardIsLed = async () => isDeepStrictEqual(await leaders(), all)

const ledBy = ({ output }: RoleProcess) =>
  new Set(
    output()
      .split('\n')
      .filter(line => line.includes('this coordinator leads'))
      .map(line => JSON.parse(line).shard as number),
  )

test('after a while, each of two coordinators leads half of the shards', async () => {
  await until('every shard to be led', everyShardIsLed)
  await until('both coordinators to lead shards', () => coordinators.every(one => ledBy(one).size > 0))
  await until('every shard to be led again', everyShardIsLed)
})

test('a crawl over hosts of several shards has every page once, and ends once', async () => {
  assert.ok(new Set(sites.map(site => shardOf(hostOf(site), shards))).size > 1)
  const job = await submit({ seedUrls: sites.map(({ url }) => `${url}/`), maxPages: 100_000, policy: quick })
  const ended = await cluster.ended(job.id)
  assert.equal(ended.state, 'completed')
  const { byState } = await cluster.store.jobs.counts(job.id)
  assert.equal(byState.pending + byState.queued + byState.in_progress, 0)
  const twice = await cluster.sql(
    'SELECT t.url FROM tasks t JOIN jobs j USING (job_no) WHERE j.id = $1 GROUP BY t.url HAVING count(*) > 1',
    job.id,
  )
  assert.deepEqual(twice, [])
  for (const site of sites) assert.equal(site.requestsTo('/robots.txt').length, 1, hostOf(site))
})

test('the page limit of a job applies to all shards together', async () => {
  const job = await submit({ seedUrls: sites.map(({ url }) => `${url}/`), maxPages: 25, policy: quick })
  assert.equal((await cluster.ended(job.id)).state, 'completed')
  assert.equal((await cluster.store.jobs.counts(job.id)).pages, 25)
})

/** If two coordinators released tasks of one host, the requests to this host would arrive together. A busy machine shifts
 *  requests only a little. */
test('the rate of a host is kept, although several coordinators release tasks', async () => {
  const before = sites.map(({ requests }) => requests.length)
  const urls = sites.flatMap(({ url }) => ['/', '/about', '/blog/'].map(path => url + path))
  const job = await submit({ urls, policy: { host: { rate: 1 } } })
  assert.equal((await cluster.ended(job.id)).state, 'completed')
  for (const [index, site] of sites.entries()) {
    const times = site.requests.slice(before[index]).map(({ at }) => at)
    for (let k = 1; k < times.length; k++)
      assert.ok(times[k]! - times[k - 1]! >= 400, `${times[k]! - times[k - 1]!} ms at ${hostOf(site)}`)
  }
})

/** Creates a schedule that fetches a page every second. */
async function everySecond(): Promise<void> {
  const first = Math.ceil(Date.now() / 1_000) * 1_000
  await cluster.store.schedules.create({
    ...{ id: 'ticking', workspace: 'default', name: 'ticking', cron: '* * * * * *', timeZone: 'UTC' },
    ...{ overlap: 'allow', jitterMs: 0, paused: false, keyId: null, createdAt: Date.now() },
    ...{ nextTick: first, nextAt: first },
    job: { urls: [`${sites[0]!.url}/about`], policy: quick },
  })
}

const runs = () => cluster.store.schedules.runs('ticking', { limit: 1_000 })
const startedJobs = async () => (await runs()).flatMap(({ jobId }) => jobId ?? []).sort()
const jobIds = async () =>
  (await cluster.store.jobs.list({ scheduleId: 'ticking', limit: 1_000 })).map(({ id }) => id).sort()

test('if a coordinator is killed, the other one leads its shards within seconds, jobs continue, and every tick has one run', async () => {
  await everySecond()
  const job = await submit({ seedUrls: sites.map(({ url }) => `${url}/`), policy: quick })
  await until('some pages', async () => (await cluster.store.jobs.counts(job.id)).pages > 5)
  await until('some ticks', async () => (await runs()).length > 1)
  // The leader of the first shard runs the schedules.
  const [killed, other] = ledBy(coordinators[0]!).has(0) ? coordinators : coordinators.toReversed()
  await killed!.kill()
  await until('every shard to be led', everyShardIsLed)
  const before = (await runs()).length
  assert.equal((await cluster.ended(job.id)).state, 'completed')
  await until('further ticks', async () => (await runs()).length > before + 1)
  await cluster.store.schedules.update('ticking', { paused: true })
  assert.deepEqual(
    [...ledBy(other!)].sort(),
    Array.from({ length: shards }, (_, index) => index),
  )
  // Repeats the two reads, because a tick may start between them.
  await until('jobs and ticks to be the same', async () =>
    isDeepStrictEqual(await startedJobs(), await jobIds()),
  )
  const started = await startedJobs()
  assert.equal(new Set(started).size, started.length, 'no job for two ticks')
  coordinators = [other!]
})

test('a coordinator that expects another number of shards waits until the others have ended, then leads all shards', async () => {
  const other = await cluster.start(['coordinator'], { SCRAPER_SHARDS: '2' })
  await until('the coordinator to log what it waits for', () =>
    other.output().includes('another number of shards'),
  )
  assert.equal(ledBy(other).size, 0)
  const paced = { urls: [`${sites[0]!.url}/`, `${sites[1]!.url}/about`], policy: quick }
  await coordinators[0]!.kill('SIGTERM')
  await worker.kill('SIGTERM')
  await until('the new coordinator to lead', () => ledBy(other).size === 2)
  await cluster.start(['http-worker', 'processor'], { SCRAPER_SHARDS: '2' })
  const job = await submit(paced)
  assert.equal((await cluster.ended(job.id)).state, 'completed')
})
