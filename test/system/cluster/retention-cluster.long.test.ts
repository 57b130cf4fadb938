// Tests diagnoses, retention and erasure with jobs in PostgreSQL, pages in S3, and workers in separate processes.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { unpack } from '../../../src/results/unpack.ts'
import { TestCluster, until } from '../../support/cluster.ts'
import { holdsMark, type MarkedSite, startMarkedSite } from '../../support/marked-site.ts'

const marks = { gone: 'zebramarkone', stays: 'quaggamarktwo' }
let cluster: TestCluster
let gone: MarkedSite
let stays: MarkedSite
let url: string

before(async () => {
  gone = await startMarkedSite(marks.gone)
  stays = await startMarkedSite(marks.stays)
  cluster = await TestCluster.open({
    SCRAPER_ALLOW_PRIVATE: `${gone.host},${stays.host}`,
    SCRAPER_CLUSTER_SECRET: 'a-secret-of-this-cluster-0123456789',
  })
  const [api] = await Promise.all([
    cluster.start(['api'], {}, ['--port', '0']),
    cluster.start(['coordinator', 'processor', 'http-worker']),
  ])
  url = /"url":"([^"]+)"/.exec(api.output())![1]!
})

after(async () => {
  await cluster[Symbol.asyncDispose]()
  await gone[Symbol.asyncDispose]()
  await stays[Symbol.asyncDispose]()
})

async function ask(path: string, { method = 'GET', body }: { method?: string; body?: unknown } = {}) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${cluster.env.SCRAPER_API_KEY}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`)
  return text
}

const both = (path: string) => [gone, stays].map(site => `${site.url}${path}`)

async function run(job: Record<string, unknown>): Promise<string> {
  const policy = { host: { rate: 'unlimited' } }
  const { job_id } = JSON.parse(await ask('/jobs', { method: 'POST', body: { policy, ...job } }))
  await cluster.ended(job_id)
  return job_id
}

function unpacked(bytes: Buffer): Buffer[] {
  try {
    return [unpack(bytes)]
  } catch {
    return []
  }
}

/** The objects of the bucket and the tables of the database that contain the mark. */
async function marked(mark: string): Promise<string[]> {
  await using blobs = await cluster.bucket()
  const found: string[] = []
  for await (const { key } of blobs.list(''))
    if (holdsMark((await blobs.get(key))!, mark, unpacked)) found.push(key)
  const tables = await cluster.sql<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`,
  )
  for (const { name } of tables) {
    const rows = await cluster.sql(
      `SELECT 1 FROM ${name} t WHERE t::text ILIKE '%' || $1 || '%' LIMIT 1`,
      mark,
    )
    if (rows.length > 0) found.push(`table ${name}`)
  }
  return found
}

test('the API can diagnose a worker in another process, and gets its profile', async () => {
  let worker: string | undefined
  await until('the heartbeat of the worker', async () => {
    const { workers } = JSON.parse(await ask('/workers')) as {
      workers: Array<{ name: string; role: string }>
    }
    worker = workers.find(({ role }) => role === 'http-worker')?.name
    return worker !== undefined
  })
  const text = await ask(`/diagnostics/${worker}`)
  const { about, sections } = JSON.parse(text)
  assert.equal(about, 'worker')
  assert.notEqual(sections.worker.process.pid, sections.process.pid)
  assert.ok(sections.worker.process.state.some(({ name }: { name: string }) => name === worker))
  for (const secret of [
    cluster.env.SCRAPER_CLUSTER_SECRET!,
    new URL(cluster.env.DATABASE_URL!).password || 'none',
  ])
    assert.ok(!text.includes(secret) || secret === 'none')
  const profile = await ask(`/diagnostics/${worker}/profile`, {
    method: 'POST',
    body: { kind: 'cpu', seconds: 1 },
  })
  assert.ok(JSON.parse(profile).nodes.length > 0)
  await using blobs = await cluster.bucket()
  assert.deepEqual(await Array.fromAsync(blobs.list('diagnostics/')), [])
})

test('a job’s own retention applies in PostgreSQL and S3', async () => {
  const kept = await run({ urls: both('/kept') })
  const short = await run({ urls: both('/short'), retention: { raw_ms: 1, records_ms: 1 } })
  const brief = await run({ urls: both('/brief'), retention: { job_ms: 1 } })
  const { freed } = JSON.parse(await ask('/gc', { method: 'POST', body: {} }))
  assert.equal(freed.records.removed, 2)
  assert.ok(freed.raw.removed >= 1)
  assert.equal(freed.jobs.removed, 1)
  assert.equal(await cluster.store.jobs.get(brief), null)
  const page = { after: 0, limit: 10 }
  assert.equal((await cluster.store.records.list(kept, page)).length, 2)
  assert.deepEqual(await cluster.store.records.list(short, page), [])
  await using blobs = await cluster.bucket()
  assert.deepEqual(await Array.fromAsync(blobs.list(`jobs/${short}/segments/`)), [])
  assert.ok((await Array.fromAsync(blobs.list(`jobs/${kept}/segments/`))).length > 0)
})

test('no object and no table contains data of an erased host, and the other host keeps all its data', async () => {
  const mixed = await run({ urls: [...both('/a'), ...both('/b')] })
  const items = await run({ urls: both('/c'), results: { layout: 'items' } })
  assert.ok((await marked(marks.gone)).length >= 4)
  const receipt = JSON.parse(await ask(`/hosts/${gone.host}/data?and_never_again=true`, { method: 'DELETE' }))
  assert.equal(receipt.never_again, true)
  assert.ok(receipt.counts.records >= 3)
  assert.deepEqual(await marked(marks.gone), [])
  const left = await marked(marks.stays)
  assert.ok(left.some(key => key.startsWith(`jobs/${mixed}/segments/`)))
  assert.ok(left.some(key => key.startsWith(`jobs/${items}/items/`)))
  assert.ok(left.includes('table records'))
  const rows = (await ask(`/jobs/${mixed}/export?format=jsonl`)).trim().split('\n')
  assert.deepEqual(rows.map(row => JSON.parse(row)._page.url).sort(), [`${stays.url}/a`, `${stays.url}/b`])
})
