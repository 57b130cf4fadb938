// Seed 002 (an earlier specification): tests that a service that stops finishes every kind of call that waits for a
// page. If the page arrives too late, the call gets a 503.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { startTestSite, type TestSite } from '../site/index.ts'
import { operatorKey, TestService } from '../support/service.ts'

interface Answered {
  status: number
  text: string
}

/** Each way in which a caller can wait for the page `/held` of a site. */
const ways: Record<string, (service: TestService, url: string) => Promise<Answered>> = {
  scrape: (service, url) =>
    service.ask('/api/v1/scrape/sync', { body: { url, target_type: 'page', timeout_s: 60 } }),
  firecrawl: (service, url) => service.ask('/v2/scrape', { body: { url, timeout: 120_000 } }),
  map: (service, url) => service.ask('/v2/map', { body: { url, timeout: 120_000, sitemap: 'skip' } }),
  preview: (service, url) => service.ask('/previews', { body: { url, timeout_s: 60 } }),
  plan: (service, url) => service.ask('/plan', { body: { urls: [url] } }),
  browserless: (service, url) => service.ask('/content?timeout=120000', { body: { url } }),
  mcp: async (service, url) => {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${operatorKey}` } },
      }),
    )
    const { isError, content } = await client.callTool({ name: 'scrape', arguments: { url } })
    const [{ text }] = content as [{ text: string }]
    await client.close()
    return { status: isError ? (/stopping/.test(text) ? 503 : 500) : 200, text }
  },
}

/** Calls of every kind wait for a page, each on its own site, when the service gets the request to stop. */
async function stoppedWhileWaiting(
  graceMs: number,
  inTime: boolean,
): Promise<Record<string, number | string>> {
  await using opened = new AsyncDisposableStack()
  const sites = new Map<string, TestSite>()
  for (const name of Object.keys(ways)) sites.set(name, opened.use(await startTestSite()))
  const allowPrivate = [...sites.values()].map(({ host, port }) => `${host}:${port}`)
  const service = opened.use(
    await TestService.open({ settings: { allowPrivate, rate: 'unlimited', graceMs } }),
  )
  const holds = [...sites.values()].map(site => {
    site.serve('/held', '<!doctype html><title>Held</title><h1>Held</h1><p>Words of the page.</p>')
    return opened.use(site.hold('/held'))
  })
  const calls = Object.entries(ways).map(async ([name, call]) => {
    const answered = await call(service, `${sites.get(name)!.url}/held`)
    return [name, answered.status === 500 ? answered.text : answered.status] as const
  })
  await Promise.all(holds.map(hold => hold.arrived()))
  service.service.stop()
  if (inTime) for (const hold of holds) hold.release()
  return Object.fromEntries(await Promise.all(calls))
}

const all = (status: number) => Object.fromEntries(Object.keys(ways).map(name => [name, status]))

test('if the page arrives within the grace period of a stop, every call that waits for it gets the page', async () => {
  assert.deepEqual(await stoppedWhileWaiting(120_000, true), all(200))
})

test('if the grace period of a stop ends before the page arrives, every call that waits for it gets 503', async () => {
  assert.deepEqual(await stoppedWhileWaiting(2_000, false), all(503))
})
