// Tests the service over several processes: API processes accept and show jobs, and other processes run them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { type RoleProcess, TestCluster, until } from '../../support/cluster.ts'

let cluster: TestCluster
let site: TestSite
let url: string
let roles: RoleProcess[]
before(async () => {
  site = await startTestSite()
  for (let page = 1; page <= 60; page += 1) site.serve(`/page/${page}`, `<h1>Page ${page}</h1>`)
  cluster = await TestCluster.open({ SCRAPER_ALLOW_PRIVATE: `${site.host}:${site.port}` })
  roles = await Promise.all([
    cluster.start(['api'], {}, ['--port', '0']),
    cluster.start(['coordinator', 'ingest'], { SCRAPER_HEALTH_PORT: '0' }),
    cluster.start(['http-worker', 'processor']),
  ])
  url = /"url":"([^"]+)"/.exec(roles[0]!.output())![1]!
})
after(async () => {
  await cluster[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

async function ask<Body = Record<string, unknown>>(path: string, body?: unknown): Promise<Body> {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${cluster.env.SCRAPER_API_KEY}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  assert.ok(
    response.ok,
    `${path}: ${response.status} ${text}\n${roles.map(role => role.output().slice(-2_000)).join('\n')}`,
  )
  return JSON.parse(text) as Body
}

const quick = { host: { rate: 'unlimited' } }

test('workers fetch and parse a list submitted to the API, and the API shows the results', async () => {
  const urls = Array.from({ length: 30 }, (_, index) => `${site.url}/page/${index + 1}`)
  const { job_id } = await ask<{ job_id: string }>('/jobs', { urls, policy: quick })
  await cluster.ended(job_id)
  const status = await ask<{ status: string }>(`/jobs/${job_id}/status`)
  assert.equal(status.status, 'completed')
  assert.equal((await cluster.store.jobs.counts(job_id)).records, 30)
})

test('a caller of the sync API gets its page from the worker that fetched it', async () => {
  const answer = await ask<Record<string, unknown>>('/api/v1/scrape/sync', {
    url: `${site.url}/page/3`,
    target_type: 'page',
  }).catch(error => error as Error)
  assert.ok(!(answer instanceof Error), String(answer))
})

test('a key of another workspace does not see the job', async () => {
  const { job_id } = await ask<{ job_id: string }>('/jobs', { urls: [`${site.url}/page/1`], policy: quick })
  await cluster.ended(job_id)
  const { key } = await ask<{ key: string }>('/keys', {
    name: 'theirs',
    workspace: 'theirs',
    scopes: ['read'],
  })
  const theirs = (path: string) => fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })
  assert.equal((await theirs(`/jobs/${job_id}/status`)).status, 404)
  assert.deepEqual(((await (await theirs('/jobs')).json()) as { jobs: unknown[] }).jobs, [])
})

test('the ingest role reads an uploaded file, and its rows are fetched', async () => {
  const rows = Array.from({ length: 50 }, (_, index) => `${site.url}/page/${index + 1}`)
  const file = `url\n${rows.join('\n')}\nno url at all\n`
  const upload = await ask<{ upload_id: string; upload_url: string; headers: Record<string, string> }>(
    '/uploads',
    { file_name: 'pages.csv' },
  )
  const put = await fetch(upload.upload_url, { method: 'PUT', body: file, headers: upload.headers })
  assert.ok(put.ok, `${put.status} ${await put.text()}`)
  const { job_id } = await ask<{ job_id: string }>('/jobs', { upload_id: upload.upload_id, policy: quick })
  assert.equal((await cluster.ended(job_id)).state, 'completed')
  const counts = await cluster.store.jobs.counts(job_id)
  assert.equal(counts.byState.succeeded, 50)
  assert.equal((await cluster.store.jobs.get(job_id))?.ingest.rejected, 1)
})

test('the leader handles requests to pause, resume and cancel', async () => {
  const urls = Array.from({ length: 40 }, (_, index) => `${site.url}/page/${index + 1}`)
  const { job_id } = await ask<{ job_id: string }>('/jobs', { urls, policy: { host: { rate: 2 } } })
  await until('the job to run', async () => (await cluster.store.jobs.get(job_id))?.state === 'running')
  await ask(`/jobs/${job_id}/pause`, {})
  assert.equal((await cluster.store.jobs.get(job_id))?.state, 'paused')
  await ask(`/jobs/${job_id}/resume`, {})
  assert.equal((await cluster.store.jobs.get(job_id))?.state, 'running')
  await ask(`/jobs/${job_id}/cancel`, {})
  assert.equal((await cluster.ended(job_id)).state, 'cancelled')
})

test('the backlog of work is shown while there is work', async () => {
  const port = /"health_port":(\d+)/.exec(roles[1]!.output())![1]
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  assert.match(text, /kscrape_backlog\{queue="fetch.http"\} 0/)
  assert.equal((await fetch(`http://127.0.0.1:${port}/readiness`)).status, 200)
})

test('a job that waits for a missing kind of worker can be cancelled', async () => {
  const { job_id } = await ask<{ job_id: string }>('/jobs', { urls: [`${site.url}/page/2`], render: true })
  const isOut = async () => {
    const { queued, in_progress } = (await cluster.store.jobs.counts(job_id)).byState
    return queued + in_progress === 1
  }
  await until('the task to be sent to the stream', isOut)
  await ask(`/jobs/${job_id}/cancel`, {})
  const { state } = await cluster.ended(job_id)
  const { byState } = await cluster.store.jobs.counts(job_id)
  assert.deepEqual([state, byState.cancelled], ['cancelled', 1])
})

test('the API is ready while a task waits for a browser worker that is not started yet', async () => {
  const { job_id } = await ask<{ job_id: string }>('/jobs', { urls: [`${site.url}/page/1`], render: true })
  const response = await fetch(`${url}/readiness`)
  assert.deepEqual(
    [response.status, await response.json()],
    [200, { ready: true, checks: { store: 'ok', workers: 'ok' } }],
  )
  await cluster.start(['browser-worker'])
  assert.equal((await cluster.ended(job_id)).state, 'completed')
  // The next heartbeat of the worker will report its browser.
  type Fleet = { browser_pool: { browsers: Array<{ worker: string; pages: number; phase: string }> } | null }
  const browsers = async () => (await ask<Fleet>('/workers')).browser_pool?.browsers ?? []
  await until('the browser to be listed', async () => (await browsers()).some(({ pages }) => pages > 0))
  const [browser] = await browsers()
  assert.match(browser?.worker ?? '', /browser-worker/)
})
