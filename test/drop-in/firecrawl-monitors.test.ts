// Tests Firecrawl's monitors with its official client, unmodified, against our server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { FirecrawlApi } from '../support/firecrawl.ts'

interface Monitor {
  id: string
  name: string
  status: string
  schedule: { cron: string; timezone: string }
  targets: Array<{ type: string; urls?: string[]; url?: string }>
  lastCheckSummary: Record<string, number> | null
  nextRunAt: string | null
}
interface MonitorCheck {
  id: string
  status: string
  summary: Record<string, number>
  pages: Array<{ url: string; status: string; diff: { text: string } | null }>
}
interface Client {
  createMonitor(body: object): Promise<Monitor>
  listMonitors(options?: object): Promise<Monitor[]>
  getMonitor(id: string): Promise<Monitor>
  updateMonitor(id: string, change: object): Promise<Monitor>
  deleteMonitor(id: string): Promise<boolean>
  runMonitor(id: string): Promise<MonitorCheck>
  listMonitorChecks(id: string): Promise<MonitorCheck[]>
  getMonitorCheck(id: string, checkId: string, options?: object): Promise<MonitorCheck>
}

let api: FirecrawlApi
let client: Client
before(async () => {
  api = await FirecrawlApi.open()
  client = api.client as unknown as Client
})
after(() => api?.[Symbol.asyncDispose]())
const at = (path: string): string => `${api.site.url}${path}`
const page = (price: number) =>
  `<html><head><title>Price</title></head><body><main><h1>Price</h1><p>It costs ${price} euro.</p></main></body></html>`

const checked = async (id: string): Promise<MonitorCheck> => {
  const { id: checkId } = await client.runMonitor(id)
  await api.service.ended(checkId)
  return client.getMonitorCheck(id, checkId)
}

test('a monitor checks its pages, reports changes with a diff, and detects removed pages', async () => {
  api.site.serve('/price', page(5))
  api.site.serve('/steady', page(1))
  const urls = [at('/price'), at('/steady')]
  const made = await client.createMonitor({
    name: 'Prices',
    schedule: { text: 'daily at 9:00', timezone: 'Europe/Berlin' },
    targets: [{ type: 'scrape', urls }],
    retentionDays: 30,
  })
  assert.deepEqual([made.status, made.schedule], ['active', { cron: '0 9 * * *', timezone: 'Europe/Berlin' }])
  assert.deepEqual(made.targets, [{ type: 'scrape', urls }])
  const first = await checked(made.id)
  assert.deepEqual([first.status, first.summary.new], ['completed', 2])
  api.site.serve('/price', page(6))
  const second = await checked(made.id)
  assert.deepEqual([second.summary.changed, second.summary.same], [1, 1])
  assert.deepEqual([second.pages[0]?.url, second.pages[0]?.status], [at('/price'), 'changed'])
  assert.match(second.pages[0]?.diff?.text ?? '', /-It costs 5 euro\.\n\+It costs 6 euro\./)
  api.site.serve('/price', { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>gone</h1>' })
  const third = await checked(made.id)
  assert.equal(third.summary.removed, 1)
  assert.deepEqual((await client.getMonitorCheck(made.id, third.id, { status: 'changed' })).pages, [])
  assert.equal((await client.listMonitorChecks(made.id)).length, 3)
  assert.equal((await client.getMonitor(made.id)).lastCheckSummary?.removed, 1)
})

test('a monitor is changed, paused, listed and deleted', async () => {
  const targets = [{ type: 'crawl', url: at('/blog/'), crawlOptions: { limit: 3 } }]
  const { id } = await client.createMonitor({ name: 'Blog', schedule: { cron: '0 * * * *' }, targets })
  const changed = await client.updateMonitor(id, {
    ...{ name: 'Steady', status: 'paused', schedule: { text: 'hourly' } },
    targets: [{ type: 'scrape', urls: [at('/steady')] }],
  })
  assert.deepEqual([changed.name, changed.status, changed.nextRunAt], ['Steady', 'paused', null])
  assert.deepEqual(changed.targets, [{ type: 'scrape', urls: [at('/steady')] }])
  assert.equal((await checked(id)).summary.new, 1)
  assert.ok((await client.listMonitors()).some(monitor => monitor.id === id))
  assert.equal(await client.deleteMonitor(id), true)
  await assert.rejects(client.getMonitor(id), /there is no monitor/)
})

test('options that a monitor does not support are refused, and the error names the option', async () => {
  const good = {
    name: 'x',
    schedule: { text: 'hourly' },
    targets: [{ type: 'scrape', urls: [at('/steady')] }],
  }
  const cases: Array<[object, RegExp]> = [
    [{ goal: 'only real news' }, /goal/],
    [{ judgeEnabled: true }, /judgeEnabled/],
    [{ targets: [{ type: 'search', queries: ['x'] }] }, /targets/],
    [{ schedule: { text: 'at dawn' } }, /at dawn/],
    [{ webhook: { url: 'https://hook.example/', headers: { a: 'b' } } }, /headers/],
    [{ targets: [{ type: 'scrape', urls: ['http://10.0.0.1/'] }] }, /10\.0\.0\.1/],
    [{ targets: [{ type: 'scrape', urls: [at('/x')], scrapeOptions: { formats: ['html'] } }] }, /html/],
  ]
  for (const [change, message] of cases)
    await assert.rejects(client.createMonitor({ ...good, ...change }), message, JSON.stringify(change))
})

test('monitors of other workspaces are not found', async () => {
  const { body } = await api.service.ask<{ key: string }>('/keys', {
    body: { name: 'other', workspace: 'other', scopes: ['read', 'submit'] },
  })
  const other = api.clientWith(body.key) as unknown as Client
  assert.deepEqual(await other.listMonitors(), [])
  const [own] = await client.listMonitors()
  await assert.rejects(other.getMonitor(own!.id), /there is no monitor/)
})
