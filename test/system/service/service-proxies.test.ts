// Tests a service with proxies: what it shows about them, and what callers get if no proxy is healthy.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { patienceMs } from '../../support/eventually.ts'
import { ForwardProxy } from '../../support/proxies/forward-proxy.ts'
import { operatorKey, TestService } from '../../support/service.ts'
import { Workplace } from '../run-cli.ts'

let site: TestSite
let proxies: ForwardProxy[]
let service: TestService
/** A proxy that belongs to a caller, not to the operator. */
let callersOwn: ForwardProxy
before(async () => {
  site = await startTestSite()
  site.serve('/page', '<title>Page</title><h1>A page</h1><p>with a few words on it</p>')
  proxies = await Promise.all(
    ['ann:one-1', 'bob:two-2'].map(credentials => ForwardProxy.start({ credentials })),
  )
  callersOwn = await ForwardProxy.start({ credentials: 'eve:five-5' })
  service = await TestService.open({
    settings: {
      proxies: proxies.map(({ url }) => url),
      allowPrivate: [`${site.host}:${site.port}`, callersOwn.place],
      proxyCheckMs: 50,
      openMetrics: true,
    },
  })
})
after(async () => {
  await service[Symbol.asyncDispose]()
  for (const proxy of [...proxies, callersOwn]) await proxy[Symbol.asyncDispose]()
  await site.close()
})

interface Shown {
  proxies: Array<{
    name: string
    healthy: boolean
    successes: number
    failures: number
    trouble: string | null
  }>
}

const policy = { host: { rate: 'unlimited' }, proxy: { rest_ms: 0 } }

test('health, metrics and /proxies show the state of each proxy, and nothing secret', async () => {
  const urls = Array.from({ length: 4 }, (_, index) => `${site.url}/page?n=${index}`)
  const { body } = await service.ask<{ job_id: string }>('/jobs', { body: { urls, policy } })
  await service.ended(body.job_id)
  const shown = await service.ask<Shown>('/proxies')
  assert.deepEqual(
    shown.body.proxies.map(({ name, healthy, failures }) => [name, healthy, failures]),
    proxies.map(({ name }) => [name, true, 0]),
  )
  // The requests are four pages and robots.txt.
  assert.equal(
    shown.body.proxies.reduce((sum, { successes }) => sum + successes, 0),
    5,
  )
  const health = await service.ask<{ proxies: object }>('/health')
  const each = shown.body.proxies.map(({ healthy, successes, failures }) => ({
    ...{ healthy, successes, failures },
  }))
  assert.deepEqual(health.body.proxies, { healthy: 2, unhealthy: 0, each })
  const metrics = await service.ask('/metrics')
  assert.match(metrics.text, new RegExp(`kscrape_proxy_healthy\\{proxy="${proxies[0]!.name}"\\} 1`))
  assert.match(metrics.text, /kscrape_proxy_successes\{proxy="[^"]+"\} \d/)
  const settings = await service.ask('/settings')
  for (const { text } of [shown, health, metrics, settings])
    assert.doesNotMatch(text, /one-1|two-2|ann:|bob:/)
})

test('if all proxies are dead, the service is not ready, a scrape fails at once with the reason, and a job waits', async () => {
  for (const proxy of proxies) await proxy.die()
  const checked = await service.ask<Shown>('/proxies/check', { method: 'POST' })
  assert.deepEqual(
    checked.body.proxies.map(({ healthy, trouble }) => [healthy, trouble]),
    [
      [false, 'proxy.failed'],
      [false, 'proxy.failed'],
    ],
  )
  const ready = await service.ask<{ checks: Record<string, string> }>('/readiness')
  assert.deepEqual([ready.status, ready.body.checks.proxies], [503, 'none of the proxies is healthy'])
  for (const path of ['/api/v1/scrape', '/api/v1/scrape/sync']) {
    const scraped = await service.ask(path, { body: { url: `${site.url}/page`, target_type: 'page' } })
    assert.equal(scraped.status, 503, scraped.text)
    assert.match(scraped.text, /NoHealthyProxiesError/)
  }
  const paused = moved('paused', 'no-healthy-proxy')
  const jobId = await service.submit({ urls: [`${site.url}/page`], policy })
  await paused
  await proxies[0]!.revive()
  assert.equal((await service.ended(jobId)).status, 'completed')
})

/** Fails at a time limit instead of waiting forever. */
function moved(state: string, reason: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const late = setTimeout(() => reject(new Error(`no job was ${state} with ${reason}`)), patienceMs)
  const deaf = service.service.engine.listen((name, event) => {
    const told = event as { to?: string; reason?: string | null }
    if (name === 'job.moved' && told.to === state && told.reason === reason) resolve()
  })
  return promise.finally(() => {
    clearTimeout(late)
    deaf()
  })
}

test('kscrape proxies lists and tests proxies, locally and at a service, without their passwords', async () => {
  for (const proxy of proxies) if (proxy.mood === 'dead') await proxy.revive()
  await using place = await Workplace.open()
  const wrong = proxies[1]!.url.replace('two-2', 'wr0ng')
  const env = {
    SCRAPER_PROXIES: `${proxies[0]!.url},${wrong}`,
    SCRAPER_ALLOW_PRIVATE: `${site.host}:${site.port}`,
  }
  const listed = await place.run(['proxies', 'list'], { env })
  const tested = await place.run(['proxies', 'test', `${site.url}/page`], { env })
  const atService = await place.run(['proxies', 'test', '--json'], {
    env: { SCRAPER_SERVER: service.url, SCRAPER_API_KEY: operatorKey },
  })
  assert.deepEqual([listed.code, tested.code, atService.code], [0, 0, 0], tested.stderr + atService.stderr)
  assert.match(tested.stdout, new RegExp(`${proxies[0]!.name} .*yes .*200`))
  assert.match(tested.stdout, new RegExp(`${proxies[1]!.name} .*no .*refused the user name or password`))
  assert.deepEqual(
    atService.stdout
      .trim()
      .split('\n')
      .map(line => (JSON.parse(line) as { healthy: boolean }).healthy),
    [true, true],
  )
  assert.doesNotMatch(listed.stdout + tested.stdout + tested.stderr + atService.stdout, /one-1|two-2|wr0ng/)
})

test('with the scope for proxies, the fetch API uses the proxies of its caller, and the receipt says so', async () => {
  const body = { links: [`${site.url}/page`], options: { proxies: [`${callersOwn.place}:eve:five-5`] } }
  const key = await service.key({ scopes: ['read', 'submit', 'stealth'] })
  const refused = await service.ask<{ error: { field: string } }>('/fetch/start', { body, key })
  assert.deepEqual([refused.status, refused.body.error.field], [403, 'options.proxies'], refused.text)
  for (const proxy of proxies) proxy.visits.length = 0
  const started = await service.ask<{ job_id: string }>('/fetch/start', { body })
  assert.equal(started.status, 202, started.text)
  await service.ended(started.body.job_id)
  const { text } = await service.ask(`/fetch/status/${started.body.job_id}`)
  assert.match(text, /"status":"success"/)
  assert.ok(
    callersOwn.visits.some(
      ({ target, credentials }) => target.endsWith('/page') && credentials === 'eve:five-5',
    ),
  )
  assert.deepEqual(
    proxies.flatMap(({ visits }) => visits),
    [],
  )
  const conduct = await service.ask(`/jobs/${started.body.job_id}/conduct`)
  assert.match(conduct.text, new RegExp(`"proxies".*${callersOwn.place}`))
  const status = await service.ask(`/jobs/${started.body.job_id}/policy`)
  for (const told of [text, conduct.text, status.text, JSON.stringify(service.logged)])
    assert.doesNotMatch(told, /five-5/)
})
