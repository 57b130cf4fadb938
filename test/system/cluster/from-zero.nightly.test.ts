// Tests every kind of job on a cluster scaled to zero: the formulas of the ScaledObjects start the roles that the job needs, and
// stop them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TestCluster } from '../../support/cluster.ts'
import { until } from '../../support/cluster.ts'
import { freePort } from '../../support/free-port.ts'
import { FaultProxy } from '../../support/services/fault-proxy.ts'
import { ScaledCluster } from './scaled-cluster.ts'

let scaled: ScaledCluster
let cluster: TestCluster
const quick = { host: { rate: 'unlimited' } }

before(async () => {
  scaled = await ScaledCluster.open({ most: 2 })
  cluster = scaled.cluster
  for (let page = 1; page <= 40; page++) scaled.site.serve(`/page/${page}`, `<h1>Page ${page}</h1>`)
  scaled.site.serve('/form', '<h1>Form</h1><button onclick="document.title=1;this.textContent=2">go</button>')
})
after(() => scaled?.[Symbol.asyncDispose]())

const pages = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${scaled.site.url}/page/${index + 1}`)

/** Submits a job, waits for its end and for the following scale-down, and returns the roles that ran. */
async function rolesFor(spec: object): Promise<string[]> {
  await completed(spec)
  return scaled.idle()
}

async function fetchersFor(spec: object): Promise<string[]> {
  await completed(spec)
  return scaled.idleFetchers()
}

async function completed(spec: object): Promise<void> {
  const { job_id } = await scaled.post<{ job_id: string }>('/jobs', spec)
  assert.equal((await cluster.ended(job_id, 600_000)).state, 'completed')
}

test('a plain job starts only http-workers and processors, and they stop afterwards', async () => {
  assert.deepEqual(await rolesFor({ urls: pages(30), policy: quick }), ['http-worker', 'processor'])
})

test('a rendered job starts only browser workers', async () => {
  const spec = { urls: pages(3), render: 'always', policy: quick }
  assert.deepEqual(await fetchersFor(spec), ['browser-worker'])
})

test('a rendered crawl starts browser workers, and an http-worker for its sitemap', async () => {
  const { site } = scaled
  site.serve('/sitemap.xml', `<urlset><url><loc>${site.url}/page/7</loc></url></urlset>`)
  const spec = { seed_urls: [`${site.url}/page/1`], render: 'always', max_pages: 3, policy: quick }
  assert.deepEqual(await fetchersFor(spec), ['browser-worker', 'http-worker'])
})

test('a job with actions starts only browser workers', async () => {
  const spec = {
    urls: [`${scaled.site.url}/form`],
    actions: [{ type: 'click', selector: 'button' }],
    policy: quick,
  }
  assert.deepEqual(await fetchersFor(spec), ['browser-worker'])
})

async function upload(rows: string[]): Promise<string> {
  type Created = { upload_id: string; upload_url: string; headers: Record<string, string> }
  const { upload_id, upload_url, headers } = await scaled.post<Created>('/uploads', { file_name: 'rows.txt' })
  const sent = await fetch(upload_url, { method: 'PUT', headers, body: rows.join('\n') })
  assert.equal(sent.status, 200)
  return upload_id
}

test('an uploaded file starts an ingest role', async () => {
  const spec = { upload_id: await upload(pages(40)), policy: quick }
  assert.deepEqual(await rolesFor(spec), ['http-worker', 'ingest', 'processor'])
})

test('a sync call starts a worker and waits for it', async () => {
  const body = { url: `${scaled.site.url}/page/1`, target_type: 'page', timeout_s: 60 }
  const { data } = await scaled.post<{ data: { status: string } }>('/api/v1/scrape/sync', body)
  assert.equal(data.status, 'completed')
  assert.ok((await scaled.idle()).length > 0)
})

test('if a retry is due in two minutes, the worker stops, and a worker starts in time for the retry', async () => {
  const { site } = scaled
  let times = 0
  site.serve('/once', response => {
    times += 1
    if (times === 1) response.writeHead(503, { 'retry-after': '120' }).end()
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Here</h1>')
  })
  const { job_id } = await scaled.post<{ job_id: string }>('/jobs', { urls: [`${site.url}/once`] })
  await until('the first answer', () => times === 1)
  await scaled.idle()
  assert.equal(times, 1)
  assert.equal((await cluster.ended(job_id, 300_000)).state, 'completed')
  assert.deepEqual([times, await scaled.idleFetchers()], [2, ['http-worker']])
})

test('for 20,000 URLs of one host at one request per second, one worker of each kind is enough', async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => `${scaled.site.url}/of-one-host/${index}`)
  for (const render of ['never', 'always']) {
    const { job_id } = await scaled.post<{ job_id: string }>('/jobs', {
      upload_id: await upload(rows),
      render,
    })
    const isRead = async () => (await cluster.store.jobs.get(job_id))?.ingest.done === true
    await until('its rows to be read', isRead)
    const role = render === 'never' ? 'http-worker' : 'browser-worker'
    await until('the runnable work to be exported', () => (scaled.autoscaler.wanted.get(role) ?? 0) > 0)
    await scaled.post(`/jobs/${job_id}/cancel`, {})
    await cluster.ended(job_id)
    assert.ok(
      Math.max(...scaled.autoscaler.wanted.values()) === 1,
      JSON.stringify([...scaled.autoscaler.wanted]),
    )
    await scaled.idle()
  }
})

test('while Redis is down, the API stays ready and accepts jobs, but a worker is not ready', async () => {
  await using door = await FaultProxy.open(cluster.redis.port)
  const settings = { REDIS_URL: `redis://127.0.0.1:${door.port}` }
  const ports = [await freePort(), await freePort()]
  const [api, worker] = await Promise.all([
    cluster.start(['api'], { ...settings, SCRAPER_HEALTH_PORT: String(ports[0]) }, ['--port', '0']),
    cluster.start(['http-worker'], { ...settings, SCRAPER_HEALTH_PORT: String(ports[1]) }),
  ])
  const readiness = async (port: number) => {
    const response = await fetch(`http://127.0.0.1:${port}/readiness`)
    return { status: response.status, ...((await response.json()) as { checks: Record<string, string> }) }
  }
  assert.deepEqual([(await readiness(ports[0]!)).status, (await readiness(ports[1]!)).status], [200, 200])
  door.swallow()
  await until(
    'the worker to report that Redis is missing',
    async () => (await readiness(ports[1]!)).status === 503,
  )
  assert.notEqual((await readiness(ports[1]!)).checks.queue, 'ok')
  assert.deepEqual((await readiness(ports[0]!)).checks, { roles: 'ok', store: 'ok' })
  const url = /"url":"([^"]+)"/.exec(api.output())![1]!
  for (const path of ['/readiness', '/health']) assert.equal((await fetch(`${url}${path}`)).status, 200)
  const accepted = await fetch(`${url}/jobs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${cluster.env.SCRAPER_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ urls: pages(1) }),
  })
  assert.equal(accepted.status, 202)
  door.passOn()
  await Promise.all([api.kill(), worker.kill()])
})
