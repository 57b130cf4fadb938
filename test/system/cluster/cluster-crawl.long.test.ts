// Tests a crawl over several processes on PostgreSQL, Redis and S3: it gives the same records as in one process.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parquetMetadata } from 'hyparquet'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { TestCluster } from '../../support/cluster.ts'

let cluster: TestCluster
let site: TestSite
before(async () => {
  site = await startTestSite()
  cluster = await TestCluster.open({ SCRAPER_ALLOW_PRIVATE: `${site.host}:${site.port}` })
})
after(async () => {
  await cluster[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const quick = { host: { rate: 'unlimited' as const } }

test('a crawl passes through coordinator, worker and processor, and has one record for each page', async () => {
  const roles = await Promise.all([
    cluster.start(['coordinator']),
    cluster.start(['http-worker']),
    cluster.start(['processor']),
  ])
  const job = await cluster.submit(
    { seedUrls: [`${site.url}/`], policy: quick, results: { raw: 'parquet' } },
    site,
  )
  const ended = await cluster.ended(job.id).catch(error => {
    throw new Error(`${error.message}\n${roles.map(role => role.output()).join('\n')}`)
  })
  assert.equal(ended.state, 'completed')
  const urls = await cluster.sql<{ url: string; count: string }>(
    'SELECT t.url, count(*) FROM tasks t GROUP BY t.url',
  )
  assert.ok(urls.length > 60, `only ${urls.length} pages`)
  assert.ok(urls.every(({ count }) => count === '1'))
  const { byState, records } = await cluster.store.jobs.counts(job.id)
  assert.equal(byState.pending + byState.in_progress + byState.queued, 0)
  assert.ok(records > 60)
  assert.ok(!site.requests.some(({ url }) => url.startsWith('/private/')))
  assert.equal(site.requestsTo('/robots.txt').length, 1)
  await checkManifests(job.id, urls.length)
})

/** Other systems watch the bucket for these manifests. */
async function checkManifests(jobId: string, pages: number): Promise<void> {
  await using blobs = await cluster.bucket()
  const json = async (key: string) => JSON.parse((await blobs.get(`jobs/${jobId}/${key}`))!.toString())
  const { state: ended, items, parts } = await json('job_metadata.json')
  assert.deepEqual([ended, parts.full, parts.success], ['completed', 1, 1])
  assert.ok(items.total > 60 && items.total <= pages, `${items.total} of ${pages}`)
  assert.equal((await json('manifests/full/part-1.json')).length, items.total)
  const raw = (await Array.fromAsync(blobs.list(`jobs/${jobId}/raw/domain=`))).map(({ key }) => key)
  for (const key of raw)
    assert.match(key, /\/domain=[^/]+\/date=\d{4}-\d\d-\d\d\/part-\d+-[0-9a-f]+\.parquet$/)
  const rows = await Promise.all(
    raw.map(async key => parquetMetadata(asBuffer(await blobs.get(key))).num_rows),
  )
  const [state] = await Array.fromAsync(blobs.list(`jobs/${jobId}/raw/_kscrape`))
  const { rows: written } = JSON.parse((await blobs.get(state!.key))!.toString())
  assert.equal(Number(rows.reduce((sum, count) => sum + count, 0n)), written)
  assert.ok(written > 60 && written <= pages, `${written} of ${pages}`)
}

const asBuffer = (bytes: Buffer | null): ArrayBuffer => new Uint8Array(bytes!).buffer
