// Tests that records are sent to an OpenSearch endpoint as they are committed. Each record exists there once, however the
// endpoint fails.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openSearchSink } from '../../../src/adapters/opensearch/sink.ts'
import { EgressGate, openHttpFetch } from '../../../src/fetch/http/index.ts'
import { FakeClock } from '../../../src/lib/clocks.ts'
import {
  type FeedEvent,
  type FeedParts,
  feedOnce,
  feedSink,
  resendDead,
} from '../../../src/pipeline/coordinate/outputs/feed-sink.ts'
import type { Store } from '../../../src/ports/store.ts'
import { claim, newJob, newRecord, newTasks, settle, settlementOf } from '../../contracts/store/fixtures.ts'
import { startTestSite } from '../../site/index.ts'
import { type BulkEndpoint, startBulkEndpoint } from '../../support/bulk-endpoint.ts'
import { eventually } from '../../support/eventually.ts'
import { openTemporaryStore, type TemporaryStore } from '../../support/temporary-store.ts'
import { Workplace } from '../run-cli.ts'

const clock = new FakeClock()
const never = new AbortController().signal
let endpoint: BulkEndpoint
let temporary: TemporaryStore
let store: Store
let http: ReturnType<typeof openHttpFetch>
let news: FeedEvent[]
before(async () => {
  endpoint = await startBulkEndpoint()
  const gate = new EgressGate({ allowPrivate: [new URL(endpoint.url).host] })
  http = openHttpFetch({ gate, userAgent: 'test' })
})
after(async () => {
  await http[Symbol.asyncDispose]()
  await endpoint[Symbol.asyncDispose]()
})
beforeEach(async () => {
  await temporary?.[Symbol.asyncDispose]()
  temporary = await openTemporaryStore(clock)
  store = temporary.store
  news = []
  Object.assign(endpoint, { answers: [], judge: () => null, mostBytes: Number.POSITIVE_INFINITY })
  for (const known of [endpoint.documents, endpoint.sent]) known.clear()
  endpoint.requests.length = 0
})
after(() => temporary[Symbol.asyncDispose]())

const parts = (change: Partial<FeedParts> = {}): FeedParts => ({
  name: 'opensearch',
  sinks: store.sinks,
  sink: openSearchSink({
    fetch: http.fetch,
    url: `${endpoint.url}/`,
    index: 'kscrape-{workspace}-{scraper}-{yyyy}.{mm}',
    authorization: 'Basic dTpw',
  }),
  clock,
  random: () => 0,
  batch: 3,
  tell: one => void news.push(one),
  ...change,
})

async function keepRecords(count: number, text = 'thing'): Promise<void> {
  await store.jobs.create(newJob('job', { origin: { workspace: 'Team A' } }), newTasks(count))
  for (const task of await claim(store, clock, { limit: count })) {
    const record = newRecord(0, { data: JSON.stringify({ name: `${text} ${task.n}` }) })
    await settle(store, { ...settlementOf(task), records: [record] })
  }
}

async function feedAll(change: Partial<FeedParts> = {}): Promise<void> {
  while ((await feedOnce(parts(change), never)) > 0);
}

test('records arrive in the index of their workspace, scraper and month, with their provenance', async () => {
  await keepRecords(4)
  await feedAll()
  assert.deepEqual([...endpoint.documents.keys()].sort(), [
    'kscrape-team-a-page-1970.01/job.1.0',
    'kscrape-team-a-page-1970.01/job.2.0',
    'kscrape-team-a-page-1970.01/job.3.0',
    'kscrape-team-a-page-1970.01/job.4.0',
  ])
  const { data, url, workspace, job_id } = endpoint.documents.get('kscrape-team-a-page-1970.01/job.2.0')!
  assert.deepEqual(
    { data, url, workspace, job_id },
    { data: { name: 'thing 2' }, url: 'https://shop.example/2', workspace: 'Team A', job_id: 'job' },
  )
  assert.ok(endpoint.requests.every(({ authorization }) => authorization === 'Basic dTpw'))
  assert.deepEqual(
    endpoint.requests.map(({ lines }) => lines / 2),
    [3, 1],
  )
})

test('a record that OpenSearch refuses becomes a dead letter with the reason, and other records are accepted', async () => {
  await keepRecords(3)
  endpoint.judge = id =>
    id === 'job.2.0' ? { status: 400, type: 'mapper_parsing_exception', reason: 'name is no number' } : null
  await feedAll()
  assert.equal(endpoint.documents.size, 2)
  const [letter] = await store.sinks.deadLetters('opensearch')
  assert.deepEqual([letter?.n, letter?.reason], [2, '400 mapper_parsing_exception: name is no number'])
  endpoint.judge = () => null
  assert.deepEqual(await resendDead(parts(), never), { taken: 1, refused: 0, gone: 0 })
  assert.equal(endpoint.documents.size, 3)
  assert.deepEqual(await store.sinks.deadLetters('opensearch'), [])
})

test('only the records that OpenSearch refuses temporarily are sent again, and they fail after several attempts', async () => {
  await keepRecords(3)
  let refusals = 2
  endpoint.judge = id => {
    if (id === 'job.1.0' && refusals-- > 0) return { status: 429, type: 'rejected_execution', reason: 'busy' }
    return id === 'job.3.0' ? { status: 503, type: 'unavailable', reason: 'shard' } : null
  }
  const feeding = feedOnce(parts(), never)
  await driveClock(feeding)
  assert.deepEqual(
    [...endpoint.sent],
    [
      ['job.1.0', 3],
      ['job.2.0', 1],
      ['job.3.0', 8],
    ],
  )
  assert.deepEqual(
    (await store.sinks.deadLetters('opensearch')).map(({ n }) => n),
    [3],
  )
})

test('a batch that is too large is split in halves, and the error names a single record that is too large', async () => {
  await keepRecords(2, 'x')
  await store.jobs.create(newJob('large'), newTasks(1))
  const [task] = await claim(store, clock, { jobId: 'large', limit: 1 })
  const data = JSON.stringify({ name: 'y'.repeat(5_000) })
  await settle(store, { ...settlementOf(task!), records: [newRecord(0, { data })] })
  endpoint.mostBytes = 1_000
  await feedAll()
  assert.equal(endpoint.documents.size, 2)
  const [letter, ...more] = await store.sinks.deadLetters('opensearch')
  assert.match(letter!.reason, /^413/)
  assert.deepEqual([letter!.jobId, more], ['large', []])
})

test('if OpenSearch throttles, fails or is down, records are sent later, and none is lost or skipped', async () => {
  await keepRecords(5)
  endpoint.answers = [{ status: 429, headers: { 'retry-after': '7' } }, { status: 503 }, { status: 401 }]
  const stop = new AbortController()
  const feeding = feedSink(parts(), stop.signal)
  await until(() => troubles().length === 3)
  assert.ok(troubles()[0]!.waitMs >= 7_000)
  assert.match(troubles()[2]!.failure.message, /401.*SCRAPER_OPENSEARCH_USER/)
  await until(() => endpoint.documents.size === 5)
  await endpoint.stop()
  await keepMore()
  await until(() => troubles().length > 3)
  await endpoint.start()
  await until(() => endpoint.documents.size === 6)
  stop.abort()
  await feeding
  assert.ok([...endpoint.sent.values()].every(times => times === 1))
})

const troubles = () => news.flatMap(one => (one.is === 'trouble' ? [one] : []))

async function keepMore(): Promise<void> {
  await store.jobs.create(newJob('more'), newTasks(1))
  const [task] = await claim(store, clock, { jobId: 'more', limit: 1 })
  await settle(store, { ...settlementOf(task!), records: [newRecord()] })
}

/** Advances the fake clock until the work is done. */
async function driveClock(work: Promise<unknown>): Promise<void> {
  let isDone = false
  void work.finally(() => (isDone = true))
  await until(() => isDone)
  await work
}

const until = (check: () => boolean) =>
  eventually('the sink to reach this position', () => {
    clock.advance(1_000)
    return check()
  })

test('a process that dies after sending records sends them again, and each record exists once', async () => {
  await keepRecords(2)
  const sinks = { ...store.sinks, advance: () => Promise.reject(new Error('killed')) }
  await assert.rejects(feedOnce(parts({ sinks }), never), /killed/)
  await feedAll()
  assert.equal(endpoint.documents.size, 2)
  assert.deepEqual([...endpoint.sent.values()], [2, 2])
})

test('kscrape serve sends records to a configured OpenSearch, and the command line lists refused records', async () => {
  await using site = await startTestSite()
  await using place = await Workplace.open()
  endpoint.judge = (_, { url }) =>
    String(url).endsWith('/about') ? { status: 400, type: 'illegal', reason: 'not this one' } : null
  const env = { SCRAPER_OPENSEARCH_URL: endpoint.url, SCRAPER_OPENSEARCH_INDEX: 'pages' }
  const flags = ['--allow-private', `${site.host}:${site.port}`, '--rate', 'unlimited']
  const run = await place.run(['run', '-', '--job', 'two', ...flags], {
    stdin: `${site.url}/\n${site.url}/about\n`,
  })
  assert.equal(run.code, 0, run.stderr)
  const service = place.start(['serve', '--port', '0', '--json'], { env })
  await eventually('the records to arrive', () => endpoint.documents.has('pages/two.1.0'))
  const isKept = async () => {
    const listed = await place.run(['sinks', 'dead-letters', '--json'])
    return listed.stdout.includes('not this one')
  }
  await eventually('the refusal to be stored', isKept)
  service.child.kill('SIGTERM')
  await service.ended
  endpoint.judge = () => null
  const resent = await place.run(['sinks', 'resend', '--json'], { env })
  assert.deepEqual(JSON.parse(resent.stdout), { taken: 1, refused: 0, gone: 0 })
  assert.equal(endpoint.documents.size, 2)
})
