// Tests that a data directory of one process moves into a cluster, and that running jobs continue there.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openSealer } from '../../../src/adapters/fs/sealer.ts'
import { openS3Blobs } from '../../../src/adapters/s3/blobs.ts'
import type { Events } from '../../../src/model/events.ts'
import { openHeaders, sealHeaders } from '../../../src/pipeline/submit/sealed-headers.ts'
import { visitDataDirectory } from '../../../src/roles/data-directory.ts'
import { openSessions } from '../../../src/roles/sessions.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { TestCluster } from '../../support/cluster.ts'
import { TestEngine } from '../../support/engine.ts'
import { Workplace } from '../run-cli.ts'

let cluster: TestCluster
let site: TestSite
let left: TestEngine
let place: Workplace
const secret = 'a secret that all processes of these tests have in common'

before(async () => {
  site = await startTestSite()
  place = await Workplace.open()
  cluster = await TestCluster.open({
    SCRAPER_ALLOW_PRIVATE: `${site.host}:${site.port}`,
    SCRAPER_CLUSTER_SECRET: secret,
  })
  left = await leaveHalfDone()
})
after(async () => {
  await left[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const quick = { host: { rate: 'unlimited' as const } }
const token = 'Bearer of-a-job'

/** Leaves a crawl that was stopped after some pages, jobs that have ended or wait, and other data of a service. */
async function leaveHalfDone(): Promise<TestEngine> {
  const settings = { allowPrivate: [`${site.host}:${site.port}`] }
  const engine = await TestEngine.open({ settings })
  const { store } = engine.engine.data
  await engine.run({
    jobId: 'ended',
    urls: [`${site.url}/blog/`, `${site.url}/nothing-here`],
    policy: quick,
  })
  await engine.submit({
    jobId: 'crawl',
    seedUrls: [`${site.url}/`],
    headers: { authorization: token },
    concurrency: 2,
    policy: quick,
  })
  let settled = 0
  engine.engine.listen((name, event) => {
    if (name !== 'task.settled' || (event as Events['task.settled']).jobId !== 'crawl') return
    if (++settled === 20) engine.stop()
  })
  await engine.start()
  const rows = join(engine.folder, 'rows.csv')
  await writeFile(rows, `url\n${site.url}/\n${site.url}/blog/\n`)
  await engine.submit({ jobId: 'rows', policy: quick }, { source: rows })
  await store.keys.add({ ...key, createdAt: 1 }, 'hash-of-a-key')
  const schedule = { ...weekly, job: sealHeaders(openSealer(engine.folder), weekly.id, weekly.job) }
  await store.schedules.create(schedule)
  await store.conduct.enterListing({ ...listing, createdAt: 1 })
  await openSessions(engine.folder).save('shop', { cookies: [], origins: [] })
  await engine.close()
  return engine
}

const key = {
  ...{ id: 'key-1', prefix: 'ks_1', name: 'one', workspace: 'default', scopes: ['read' as const] },
  limits: {},
  workspaces: ['team'],
}
const weekly = {
  ...{ id: 'weekly', workspace: 'default', name: 'weekly', cron: '0 3 * * 1', timeZone: 'UTC' },
  ...{
    overlap: 'skip' as const,
    jitterMs: 0,
    paused: true,
    keyId: null,
    createdAt: 1,
    nextTick: null,
    nextAt: null,
  },
  job: { urls: ['https://example.com/'], headers: { authorization: token } },
}
const listing = {
  ...{ id: 'listing-1', list: 'deny' as const, pattern: 'leave-me.example', state: 'approved' as const },
  ...{ reason: null, contact: null, token: null, decidedAt: 1, decidedBy: 'operator' },
}

const runImport = (settings: Record<string, string> = {}) =>
  place.run(['jobs', 'import', left.folder, '--json'], { env: { ...cluster.env, ...settings } })

const bucket = () =>
  openS3Blobs({
    endpoint: cluster.s3.url,
    region: 'us-east-1',
    bucket: cluster.env.S3_BUCKET!,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    pathStyle: true,
  })

const resultOf = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1)!)

test('an import refuses a data directory in use, and moves nothing', async () => {
  await using _engine = await TestEngine.open({}, left.folder).then(engine => ({
    [Symbol.asyncDispose]: () => engine.close(),
  }))
  const refused = await runImport()
  assert.equal(refused.code, 1, refused.stderr)
  assert.match(refused.stderr, /in use by process/)
  assert.equal(await cluster.store.jobs.get('crawl'), null)
})

test('an import that is killed half-way starts none of its jobs, and continues when the command runs again', async () => {
  const killed = await runImport({ KILLPOINT: 'import.after_batch:9' })
  assert.equal(killed.signal, 'SIGKILL', killed.stderr)
  const begun = await cluster.sql<{ state: string; reason: string }>('SELECT state, reason FROM jobs')
  assert.ok(begun.length > 0)
  assert.ok(begun.every(({ state, reason }) => state === 'paused' && reason === 'import'))

  const whole = await runImport()
  assert.equal(whole.code, 0, whole.stderr)
  const { jobs, refused, files } = resultOf(whole.stdout)
  assert.deepEqual({ jobs, refused }, { jobs: 3, refused: [] })
  assert.ok(files > 0)
  await using data = await visitDataDirectory(left.folder)
  for (const jobId of ['ended', 'crawl', 'rows'])
    assert.deepEqual(await cluster.store.jobs.counts(jobId), await data.store.jobs.counts(jobId))
  const [here, there] = await Promise.all(
    [data.store, cluster.store].map(store => store.records.list('crawl', { after: 0, limit: 1_000 })),
  )
  assert.deepEqual(
    there!.map(({ seq, ...record }) => record),
    here!.map(({ seq, ...record }) => record),
  )
})

test('a second import changes nothing, and the imported directory is read-only afterwards', async () => {
  const again = await runImport()
  assert.equal(again.code, 0, again.stderr)
  assert.deepEqual(resultOf(again.stdout), { jobs: 0, before: 3, refused: [], rows: 0, files: 0 })
  const list = await place.run(['jobs', 'list', '--data-dir', left.folder, '--json'])
  assert.equal(list.code, 0, list.stderr)
  const resume = await place.run(['jobs', 'resume', 'crawl', '--data-dir', left.folder])
  assert.equal(resume.code, 1)
  assert.match(resume.stderr, /were moved to postgres/)
})

test('an import includes all other data of a service, with secrets encrypted by the key of the cluster', async () => {
  const { store } = cluster
  assert.equal((await store.keys.byHash('hash-of-a-key'))?.id, 'key-1')
  assert.equal((await store.conduct.listing('listing-1'))?.pattern, 'leave-me.example')
  const kept = (await store.schedules.get('weekly'))!.job as { headers: Record<string, string> }
  assert.ok(!JSON.stringify(kept).includes(token))
  assert.notEqual(await (await bucket()).size('sessions/shop.sealed'), null)
  assert.throws(() => openHeaders(openSealer(left.folder), 'weekly', kept), /is not the key that sealed it/)
})

const namesOf = (records: Array<{ url: string; index: number }>) =>
  records.map(({ url, index }) => `${url} ${index}`).sort()

async function pagesBefore(): Promise<string[]> {
  await using data = await visitDataDirectory(left.folder)
  return (await data.store.records.list('crawl', { after: 0, limit: 1_000 })).map(({ url }) => url)
}

/** The product names that one process finds if it is not interrupted. */
async function namesOfWholeCrawl(): Promise<string[]> {
  await using whole = await TestEngine.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
  const { job } = await whole.run({ seedUrls: [`${site.url}/`], policy: quick })
  return namesOf(await whole.engine.data.store.records.list(job.id, { after: 0, limit: 1_000 }))
}

test('the imported crawl finishes in the cluster with every record once, and the remaining rows of the file are ingested', async () => {
  const before = site.requests.length
  const role = await cluster.start(['coordinator', 'http-worker', 'processor', 'ingest'])
  const crawl = await cluster.ended('crawl').catch(error => {
    throw new Error(`${error.message}\n${role.output()}`)
  })
  assert.equal(crawl.state, 'completed')
  const twice = await cluster.sql(
    'SELECT url FROM tasks JOIN jobs USING (job_no) WHERE id = $1 GROUP BY url HAVING count(*) > 1',
    'crawl',
  )
  assert.deepEqual(twice, [])
  const { byState } = await cluster.store.jobs.counts('crawl')
  assert.equal(byState.pending + byState.queued + byState.in_progress, 0)
  const later = site.requests.slice(before)
  const asked = new Set(later.filter(({ headers }) => headers.authorization).map(({ url }) => site.url + url))
  assert.deepEqual(
    (await pagesBefore()).filter(url => asked.has(url)),
    [],
    'finished pages are not requested again',
  )
  assert.ok(later.some(({ headers }) => headers.authorization === token))

  const found = await cluster.store.records.list('crawl', { after: 0, limit: 1_000 })
  assert.deepEqual(namesOf(found), await namesOfWholeCrawl())

  const rows = await cluster.ended('rows')
  assert.equal(rows.state, 'completed')
  assert.equal((await cluster.store.jobs.counts('rows')).pages, 2)
  await role.kill('SIGTERM')
})
