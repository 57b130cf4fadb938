// Tests a cluster scaled to zero: it is healthy while idle, starts roles for work, and stops them again.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkService } from '../../../src/cli/actions/doctor-service.ts'
import { Client } from '../../../src/client.ts'
import { freePort } from '../../support/free-port.ts'
import { ScaledCluster } from './scaled-cluster.ts'

let scaled: ScaledCluster
before(async () => {
  scaled = await ScaledCluster.open()
  scaled.site.serve('/page/1', '<h1>Page 1</h1>')
})
after(() => scaled?.[Symbol.asyncDispose]())

test('a cluster without workers and without work is healthy', async () => {
  assert.equal((await scaled.ask('/readiness')).status, 200)
  const { status } = (await (await scaled.ask('/health')).json()) as { status: string }
  assert.equal(status, 'ok')
  const apiKey = scaled.cluster.env.SCRAPER_API_KEY!
  const findings = await checkService(new Client({ server: scaled.url, apiKey }))
  assert.deepEqual(
    findings.filter(({ verdict }) => verdict === 'broken'),
    [],
  )
  assert.equal(scaled.autoscaler.started.size, 0)
})

test('browser workers alone can do a rendered job in a cluster without other workers, and stop afterwards', async () => {
  const { cluster, site } = scaled
  const spec = { urls: [`${site.url}/page/1`], render: 'always' }
  const { job_id } = await scaled.post<{ job_id: string }>('/jobs', spec)
  assert.equal((await cluster.ended(job_id)).state, 'completed')
  assert.equal(site.requestsTo('/robots.txt').length, 1)
  assert.deepEqual(await scaled.idleFetchers(), ['browser-worker'])
})

test('without Redis, an API process starts, is ready when its port listens, and accepts jobs for other processes', async () => {
  const { cluster, site } = scaled
  const health = `http://127.0.0.1:${await freePort()}`
  const settings = { REDIS_URL: 'redis://127.0.0.1:1', SCRAPER_HEALTH_PORT: new URL(health).port }
  const starting = cluster.start(['api'], settings, ['--port', '0'])
  const seen: Array<{ status: number; roles: string }> = []
  const look = async () => {
    const response = await fetch(`${health}/readiness`).catch(() => null)
    if (!response) return
    const { checks } = (await response.json()) as { checks: { roles: string } }
    seen.push({ status: response.status, roles: checks.roles })
  }
  const api = await Promise.race([starting, keepLooking(look, starting)])
  await look()
  assert.deepEqual(seen.at(-1), { status: 200, roles: 'ok' })
  for (const { status, roles } of seen) assert.equal(status, roles === 'ok' ? 200 : 503)
  const url = /"url":"([^"]+)"/.exec(api.output())![1]!
  assert.equal((await fetch(`${url}/readiness`)).status, 200)
  const response = await fetch(`${url}/jobs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${cluster.env.SCRAPER_API_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ urls: [`${site.url}/page/1`] }),
  })
  assert.equal(response.status, 202)
  const { job_id } = (await response.json()) as { job_id: string }
  assert.equal((await cluster.ended(job_id)).state, 'completed')
  await api.kill()
  assert.deepEqual(await scaled.idleFetchers(), ['http-worker'])
})

/** Repeats `look` until the process has started. */
async function keepLooking<Process>(look: () => Promise<void>, starting: Promise<Process>): Promise<Process> {
  const up = starting.then(
    () => true,
    () => true,
  )
  while (!(await Promise.race([up, look().then(() => false)])));
  return starting
}
