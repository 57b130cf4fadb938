// Tests sites that fail, through every API: each row of docs/when-sites-fail.md is a test here.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { startTestSite, type TestSite } from '../site/index.ts'
import { eventually } from '../support/eventually.ts'
import { type FailingHost, refusingHost, silentHost, slowToConnectHost } from '../support/failing-hosts.ts'
import type { Envelope, ShownTask } from '../support/scrape-api.ts'
import { operatorKey, TestService } from '../support/service.ts'
import { Workplace } from './run-cli.ts'

/** Two sites, so that a row of the table does not depend on the rows before it. */
let sites: TestSite[]
let refusing: FailingHost
let silent: FailingHost
let otherSilent: FailingHost
let slow: FailingHost
let service: TestService
let mcp: Client

const placeOf = ({ host, port }: TestSite) => `${host}:${port}`

before(async () => {
  sites = await Promise.all(Array.from({ length: 7 }, () => startTestSite()))
  ;[refusing, silent, otherSilent, slow] = await Promise.all([
    refusingHost(),
    silentHost(),
    silentHost(),
    slowToConnectHost(),
  ])
  const failing = [refusing, silent, otherSilent, slow].map(({ place }) => place)
  const allowPrivate = [...sites.map(placeOf), ...failing]
  service = await TestService.open({ settings: { allowPrivate, rate: 'unlimited' } })
  mcp = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${operatorKey}` } }
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit })
  await mcp.connect(transport as Parameters<Client['connect']>[0])
})
after(async () => {
  await mcp?.close()
  await service?.[Symbol.asyncDispose]()
  for (const one of [...(sites ?? []), refusing, silent, otherSilent, slow])
    await one?.[Symbol.asyncDispose]()
})

/** Limits of a job that are short enough for this suite. On a busy machine, even a healthy host may
 *  not answer within them. */
const quick = {
  patience_ms: 300,
  outage_ms: 600,
  retries: { attempts: 20, base_ms: 20, cap_ms: 50, jitter: 0 },
  timeouts: { connect_ms: 200, headers_ms: 200 },
}

async function jobOf(urls: string[], policy: Record<string, unknown> = {}) {
  const jobId = await service.submit({ urls, policy: { ...quick, ...policy } })
  await service.ended(jobId)
  return itemsOf(jobId)
}

interface Item {
  url: string
  status: string
  reason: string | null
  message: string | null
}

async function itemsOf(jobId: string): Promise<Item[]> {
  const { body, text, status } = await service.ask<{ items: Item[] }>(`/jobs/${jobId}/items`)
  assert.equal(status, 200, text)
  return body.items
}

const reasonsOf = (items: Item[]) => items.map(({ reason }) => reason)

const sync = (url: string, timeoutS = 3) =>
  service.ask<Envelope>('/api/v1/scrape/sync', { body: { url, target_type: 'page', timeout_s: timeoutS } })

const firecrawl = (url: string, timeout = 3_000) =>
  service.ask<{ error: string; code: string }>('/v2/scrape', { body: { url, timeout } })

/** The error of each link, from the fetch API. */
async function fetchErrors(links: string[]): Promise<Array<string | null>> {
  const { body } = await service.ask<{ job_id: string }>('/fetch/start', { body: { links } })
  await service.ended(body.job_id)
  const path = `/fetch/status/${body.job_id}`
  const status = await service.ask<{ results: Array<{ error_type: string | null }> }>(path)
  return status.body.results.map(({ error_type }) => error_type)
}

async function tool(url: string): Promise<string> {
  const answer = await mcp.callTool({ name: 'scrape', arguments: { url } })
  assert.equal(answer.isError, true)
  return (answer.content as Array<{ text: string }>)[0]!.text
}

const scenarios: Record<string, () => Promise<void>> = {
  'The host name does not exist': async () => {
    const url = 'http://no-such-host.invalid/'
    const { status, body } = await sync(url)
    assert.deepEqual([status, body.error?.code], [502, 'DnsNotFoundError'])
    const v2 = await firecrawl(url)
    assert.deepEqual([v2.status, v2.body.code], [500, 'SCRAPE_DNS_RESOLUTION_ERROR'])
    assert.match(await tool(url), /does not exist in DNS/)
    assert.deepEqual(await fetchErrors([url]), ['DnsNotFoundError'])
    assert.deepEqual(reasonsOf(await jobOf([url])), ['dns.not-found'])
  },

  'The host refuses connections': async () => {
    const url = `${refusing.url}/page`
    const items = await jobOf([url, `${refusing.url}/other`])
    assert.deepEqual(
      items.map(({ status, reason }) => [status, reason]),
      [
        ['failed', 'host.unreachable'],
        ['failed', 'host.unreachable'],
      ],
    )
    assert.match(items[0]!.message!, /connect\.refused.*policy\.patience_ms/)
    const { status, body, headers } = await sync(url, 2)
    assert.deepEqual([status, body.error?.code], [502, 'ConnectRefusedError'])
    assert.ok(Number(headers.get('retry-after')) > 0)
    await using place = await Workplace.open()
    const cli = await place.run([url, '--wait', '1s', '--allow-private', refusing.place])
    assert.equal(cli.code, 3)
    assert.match(cli.stderr, /refused the connection/)
  },

  'The host accepts connections and never answers': async () => {
    const url = `${silent.url}/page`
    const { status, body } = await sync(url, 1)
    assert.deepEqual([status, body.error?.code], [504, 'TaskTimeoutError'])
    assert.ok(body.error!.message.includes(silent.place), body.error!.message)
    // The timeout is longer than the delay between two requests to a host, because otherwise the delay would be the reported
    // reason. The host is another one, because the robots.txt of the first host may already be known as unreachable, which is
    // reported at once.
    const v2 = await firecrawl(`${otherSilent.url}/page`, 3_000)
    assert.deepEqual([v2.status, v2.body.code], [408, 'SCRAPE_TIMEOUT'], v2.body.error)
    assert.ok(v2.body.error.includes(otherSilent.place), v2.body.error)
    const [item] = await jobOf([url])
    assert.deepEqual([item!.status, item!.reason], ['failed', 'host.unreachable'])
    assert.match(item!.message!, /accepts connections and sent no response/)
    await using place = await Workplace.open()
    const cli = await place.run([url, '--wait', '1s', '--allow-private', silent.place])
    assert.match(cli.stderr, /sent no headers within 1000 ms/)
    const site = sites[0]!
    const allowed = [placeOf(site), silent.place].flatMap(each => ['--allow-private', each])
    const proxied = await place.run([`${site.url}/`, '--wait', '1s', '--proxy', silent.url, ...allowed])
    assert.equal(proxied.code, 3, proxied.stderr)
    assert.match(proxied.stderr, new RegExp(`within 1000 ms .*through ${silent.url}`))
  },

  'Connections to the host do not open in time': async () => {
    const [item] = await jobOf([`${slow.url}/page`])
    assert.deepEqual([item!.status, item!.reason], ['failed', 'host.unreachable'])
    assert.match(item!.message!, /connect/)
  },

  'The host always answers 429': async () => {
    const site = sites[0]!
    site.fail('/throttled-page', 1_000, 429)
    site.serve('/good', '<h1>Good</h1>')
    const jobId = await service.submit({
      urls: [`${site.url}/throttled-page`, `${site.url}/good`],
      policy: quick,
    })
    await eventually('the other page', async () =>
      (await itemsOf(jobId)).some(({ status }) => status === 'succeeded'),
    )
    // Between two waits, a retry may be in flight. Then the status shows no wait.
    await eventually('the wait', async () => {
      const { body } = await service.ask<{ waiting: Array<{ reason: string }> }>(`/jobs/${jobId}/status`)
      return body.waiting.length > 0
    })
    await service.ask(`/jobs/${jobId}/cancel`, { method: 'POST' })
    site.fail('/for-an-hour', 1_000, 429, { 'retry-after': '3600' })
    const late = await sync(`${site.url}/for-an-hour`)
    assert.deepEqual([late.status, late.body.error?.code], [429, 'RateLimitedError'])
    assert.ok(Number(late.headers.get('retry-after')) > 100)
    const v2 = await firecrawl(`${site.url}/good`)
    assert.equal(v2.status, 429)
    assert.match(v2.body.error, /Retry-After/)
  },

  'The host answers 429 for a while': async () => {
    const site = sites[1]!
    site.fail('/again', 2, 429)
    site.serve('/again', '<h1>Again</h1>')
    const [item] = await jobOf([`${site.url}/again`])
    assert.equal(item!.status, 'succeeded')
    assert.equal(site.requestsTo('/again').length, 3)
  },

  'The page is a captcha, a login form or a refusal': async () => {
    const site = sites[2]!
    const links = Array.from({ length: 10 }, (_, at) => `${site.url}/wall/captcha?${at}`)
    assert.deepEqual(
      await fetchErrors(links),
      links.map(() => 'CaptchaError'),
    )
    assert.equal(site.requestsTo('/wall/captcha').length, 10)
    const single = await sync(links[0]!)
    assert.deepEqual([single.status, single.body.error?.code], [403, 'CaptchaError'])
    assert.match(await tool(links[0]!), /human/)
  },

  'The host answers 503 for a while': async () => {
    const site = sites[3]!
    const urls = Array.from({ length: 5 }, (_, at) => `${site.url}/burst?${at}`)
    site.serve('/burst', '<h1>Burst</h1>')
    site.fail('/burst', 5, 503)
    const items = await jobOf(urls, { retries: { attempts: 5, base_ms: 20, cap_ms: 50, jitter: 0 } })
    assert.deepEqual(
      items.map(({ status }) => status),
      urls.map(() => 'succeeded'),
    )
    site.fail('/burst', 1_000, 503)
    // The host must answer within this time, also on a busy machine: before its first answer, the call ends with a timeout.
    const { status, body, headers } = await sync(urls[0]!, 20)
    assert.deepEqual([status, body.error?.code], [503, 'HostUnavailableError'])
    assert.ok(Number(headers.get('retry-after')) > 0)
  },

  'robots.txt answers 5xx': async () => {
    const site = sites[4]!
    site.fail('/robots.txt', 1_000, 503)
    const { status, body, headers } = await sync(`${site.url}/page`)
    assert.deepEqual([status, body.error?.code], [503, 'RobotsUnreachableError'])
    assert.ok(Number(headers.get('retry-after')) > 0)
    assert.match(await tool(`${site.url}/page`), /robots\.txt/)
    const [item] = await jobOf([`${site.url}/page`])
    assert.deepEqual([item!.status, item!.reason], ['failed', 'robots.unreachable'])
    assert.equal(site.requestsTo('/page').length, 0)
  },

  'Some targets of a batch are bad': async () => {
    const site = sites[5]!
    site.serve('/fine', '<h1>Fine</h1>')
    const bad = [refusing.url, silent.url, slow.url]
    const urls = Array.from({ length: 100 }, (_, at) =>
      at % 10 < 3 ? `${bad[at % 10]}/${at}` : `${site.url}/fine?${at}`,
    )
    const items = await jobOf(urls, {
      patience_ms: 5_000,
      outage_ms: 10_000,
      retries: { attempts: 20, base_ms: 1_000, cap_ms: 1_000, jitter: 0 },
      timeouts: { connect_ms: 2_500, headers_ms: 2_500 },
    })
    const good = items.filter(({ url }) => url.startsWith(site.url))
    assert.equal(good.length, 70)
    assert.deepEqual(
      good.filter(({ status }) => status !== 'succeeded'),
      [],
    )
    const others = items.filter(({ url }) => !url.startsWith(site.url))
    assert.deepEqual([...new Set(reasonsOf(others))], ['host.unreachable'])
    const body = { targets: [urls[0], urls[3]].map(url => ({ url, target_type: 'page' })), timeout_s: 2 }
    const batch = await service.ask<Envelope<{ job_id: string }>>('/api/v1/scrape/batch', { body })
    assert.equal(batch.status, 202, batch.text)
    const theirs = await service.ask<{ id: string }>('/v2/batch/scrape', {
      body: { urls: [urls[0], urls[3]] },
    })
    assert.equal(theirs.status, 200, theirs.text)
    const documents = () =>
      service.ask<{ data: unknown[] }>(`/v2/batch/scrape/${theirs.body.id}`).then(({ body }) => body.data)
    const results = () =>
      service.ask<Envelope<{ results: ShownTask[] }>>(`/api/v1/scrape/jobs/${batch.body.data.job_id}/results`)
    await eventually('the good page', async () => (await results()).text.includes('Fine'))
    await eventually('the good document', async () => (await documents()).length === 1)
    await service.ask(`/v2/batch/scrape/${theirs.body.id}`, { method: 'DELETE' })
  },

  'Every proxy is dead': async () => {
    const site = sites[6]!
    const proxies = [refusing.url]
    const settings = { allowPrivate: [placeOf(site)], proxies, proxyCheckMs: 50 }
    await using behind = await TestService.open({ settings })
    const { status, body } = await behind.ask<Envelope>('/api/v1/scrape/sync', {
      body: { url: `${site.url}/page`, target_type: 'page', timeout_s: 20 },
    })
    assert.equal(status, 503, JSON.stringify(body))
    assert.match(body.error!.message, /proxies is healthy/)
    const place = await Workplace.open()
    await using _place = place
    const page = [`${site.url}/page`, '--allow-private', placeOf(site)]
    const cli = await place.run([...page, '--proxy', refusing.url])
    assert.equal(cli.code, 3)
    assert.match(cli.stderr, /proxies is healthy.*proxy\.none-healthy/)
    const jobId = await behind.submit({ urls: [`${site.url}/page`] })
    const state = async () => (await behind.ask(`/jobs/${jobId}/status`)).body
    await eventually('the pause', async () => (await state()).reason === 'no-healthy-proxy')
    assert.equal(site.requests.length, 0)
  },

  'No host answers at all': async () => {
    const dead = await Promise.all(Array.from({ length: 3 }, () => refusingHost()))
    await using alone = await TestService.open({ settings: { allowPrivate: dead.map(({ place }) => place) } })
    const jobId = await alone.submit({ urls: dead.map(({ url }) => `${url}/`) })
    const state = async () => (await alone.ask(`/jobs/${jobId}/status`)).body
    await eventually('the pause', async () => (await state()).reason === 'network.down')
    assert.equal((await state()).status, 'paused')
  },
}

for (const [situation, run] of Object.entries(scenarios)) test(situation, run)

test('each row of docs/when-sites-fail.md has one of these test scenarios', async () => {
  const path = join(import.meta.dirname, '../../docs/when-sites-fail.md')
  const text = await readFile(path, 'utf8')
  const [, table = ''] = text.split('## What happens')
  const rows = table.split('\n## ')[0]!.match(/^\| [^|]+(?= \|)/gm) ?? []
  const situations = rows.map(row => row.slice(2)).filter(row => row !== 'situation' && !/^-+$/.test(row))
  assert.deepEqual(situations, Object.keys(scenarios))
})
