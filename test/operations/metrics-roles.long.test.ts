// Tests the metrics of each role with a real Prometheus. A service and a cluster of six processes do the same work, and every
// metric, panel and alert is queried.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { reportingRoles } from '../../src/observe/metrics/reporting-roles.ts'
import { ServiceMetrics } from '../../src/observe/metrics/service-metrics.ts'
import { everyRole, roleNames } from '../../src/roles/cluster/roles.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { TestCluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { ForwardProxy } from '../support/proxies/forward-proxy.ts'
import { operatorKey, TestService } from '../support/service.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'
import { Prometheus } from './prometheus.ts'
import { queries } from './queries.ts'
import { root } from './rendered.ts'
import { isOfNode, namesByRole } from './told-by.ts'

const text = (path: string): string => readFileSync(join(root, path), 'utf8')

test('every role registers exactly its own metrics', async () => {
  assert.deepEqual([...reportingRoles].sort(), ['serve', ...everyRole].sort())
  const nothing = { queueDepth: 0, inFlight: 0, jobs: 0, activeBrowsers: 0 }
  for (const [role, names] of namesByRole()) {
    const metrics = new ServiceMetrics(async () => nothing, { by: [role as (typeof reportingRoles)[number]] })
    const registered = new Set((await metrics.described()).map(({ name }) => name))
    assert.deepEqual(
      names.filter(name => !registered.has(name)).map(name => `${role} does not tell ${name}`),
      [],
    )
    assert.deepEqual(
      [...registered]
        .filter(name => !isOfNode(name) && !names.includes(name))
        .map(name => `${role} exports ${name}, which test/operations/told-by.ts does not list`),
      [],
    )
  }
})

test('for each metric, docs/metrics.md names the roles that export it', () => {
  const rows = [...text('docs/metrics.md').matchAll(/^\| `(kscrape_\w+)` \|.*\| ([^|]+) \|$/gm)]
  const told = new Map(rows.map(([, name, by]) => [name!, by!.replaceAll('`', '').split(', ').sort()]))
  for (const [role, names] of namesByRole())
    for (const name of names) {
      const by = told.get(name) ?? []
      assert.ok(
        by.includes(role) || by[0] === 'all',
        `docs/metrics.md does not say that ${role} exports ${name}`,
      )
    }
})

describe('a service and a cluster after some work', () => {
  const opened = new AsyncDisposableStack()
  let prometheus: Prometheus
  before(async () => {
    const places = await openPlaces(opened)
    const service = opened.use(
      await TestService.open({
        settings: {
          allowPrivate: places.allowed,
          proxies: [places.proxy.url],
          webhookWaits: [10],
        },
      }),
    )
    const cluster = opened.use(
      await TestCluster.open({
        SCRAPER_ALLOW_PRIVATE: places.allowed.join(','),
        SCRAPER_PROXIES: places.proxy.url,
        SCRAPER_HEALTH_PORT: '0',
        SCRAPER_PORT: '0',
      }),
    )
    const started = await Promise.all(
      roleNames.map(async role => ({ role, said: (await cluster.start([role])).output() })),
    )
    const api = /"url":"([^"]+)"/.exec(started.find(({ role }) => role === 'api')!.said)![1]!
    prometheus = opened.use(
      await Prometheus.start([
        { role: 'serve', url: service.url, key: operatorKey },
        ...started.map(({ role, said }) => ({
          role,
          url: `http://127.0.0.1:${/"health_port":(\d+)/.exec(said)![1]}`,
        })),
      ]),
    )
    await Promise.all([work(service.url, places), work(api, places)])
  })
  after(() => opened.disposeAsync())

  test('each metric of docs/metrics.md has a value in every role that exports it', async () => {
    const missing = async () => {
      const all = [...namesByRole()].map(async ([role, names]) => {
        const told = new Set(await prometheus.namesOf(role))
        return names
          .filter(name => !told.has(name) && !told.has(`${name}_count`))
          .map(name => `${role}: ${name}`)
      })
      return (await Promise.all(all)).flat()
    }
    const isComplete = async () => (await missing()).length === 0
    await eventually('every role to export all its metrics', isComplete).catch(() => {})
    assert.deepEqual(await missing(), [], 'these metrics had no value')
  })

  test('every query of a panel or an alert is valid in Prometheus, and uses only exported metrics', async () => {
    const told = new Set((await Promise.all(reportingRoles.map(role => prometheus.namesOf(role)))).flat())
    for (const [where, query] of queries) {
      await prometheus.ask(query)
      for (const [name] of query.matchAll(/\bkscrape_\w+/g))
        assert.ok(told.has(name), `${where} queries ${name}, which no role exports`)
    }
  })

  test('work of a cluster is counted once, by the process that did the work', async () => {
    const sum = async (metric: string, labels: string) =>
      Number((await prometheus.ask(`sum(kscrape_${metric}{${labels}})`))[0]?.value[1])
    // The two long jobs may fail before this check, and their failures do not count here.
    const counts = {
      jobs_total: [4, ',state!="failed"'],
      rows_total: [2, ''],
      webhook_deliveries_total: [1, ''],
    }
    for (const [metric, [count, more]] of Object.entries(counts))
      for (const who of ['role="serve"', 'role!="serve"'])
        await eventually(
          `${count} ${metric} of ${who}`,
          async () => (await sum(metric, `${who}${more}`)) === count,
        )
  })
})

interface Places {
  site: TestSite
  down: TestSite
  busy: TestSite
  hook: WebhookReceiver
  proxy: ForwardProxy
  allowed: string[]
}

/** Opens a healthy site, a site whose pages all fail, a site that throttles, a proxy, and a webhook receiver. */
async function openPlaces(opened: AsyncDisposableStack): Promise<Places> {
  const [site, down, busy] = await Promise.all([startTestSite(), startTestSite(), startTestSite()])
  for (const one of [site, down, busy]) opened.defer(() => one.close())
  for (let n = 1; n <= 6; n += 1) down.serve(`/${n}`, { status: 500, body: 'broken' })
  busy.serve('/1', { status: 429, body: 'slower' })
  const hook = opened.use(await WebhookReceiver.open())
  const proxy = opened.use(await ForwardProxy.start())
  const sites = [site, down, busy].map(({ host, port }) => `${host}:${port}`)
  return { site, down, busy, hook, proxy, allowed: [...sites, hook.place] }
}

/** Does some work of every kind: pages, a browser, a file, a webhook, a failing host and a host that answers 429. */
async function work(url: string, { site, down, busy, hook }: Places): Promise<void> {
  const ask = async <Body>(path: string, body?: unknown): Promise<Body> => {
    const answer = await fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const said = await answer.text()
    assert.ok(answer.ok, `${path}: ${answer.status} ${said}`)
    return (said.startsWith('{') ? JSON.parse(said) : {}) as Body
  }
  // The rendered job may need a retry, because a browser may start too late on a busy machine.
  const policy = { host: { rate: 'unlimited' }, proxy: { rest_ms: 0 } }
  const once = { ...policy, retries: { attempts: 0 } }
  const submit = async (spec: object) => (await ask<{ job_id: string }>('/jobs', { policy, ...spec })).job_id
  const upload = await ask<{ upload_id: string; upload_url: string; headers: Record<string, string> }>(
    '/uploads',
    { file_name: 'pages.csv' },
  )
  const file = `url\n${site.url}/about\n${site.url}/products/1\n`
  await fetch(upload.upload_url, { method: 'PUT', body: file, headers: upload.headers })
  // Neither job ends soon: one job waits for its breaker, the other for its rate to recover.
  await submit({ urls: [1, 2, 3, 4, 5, 6].map(n => `${down.url}/${n}`), policy: once })
  await submit({ urls: [`${busy.url}/1`], policy: once })
  const jobs = await Promise.all([
    submit({
      urls: [`${site.url}/`, `${site.url}/status/410`, `${site.url}/private/list`],
      webhook_url: hook.url,
    }),
    submit({ urls: [`${site.url}/about`] }),
    submit({ urls: [`${site.url}/about`], render: true }),
    submit({ upload_id: upload.upload_id }),
  ])
  for (const job of jobs) {
    const hasEnded = async () =>
      (await ask<{ finished_at: string | null }>(`/jobs/${job}/status`)).finished_at
    await eventually(`job ${job} to end`, async () => Boolean(await hasEnded()))
  }
}
