// Seed 004 (an earlier specification): tests the stealth fetch service with the seed's own requests.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { languagesIn } from '../../src/fetch/browser/identity/identity-regions.ts'
import { findBrowser } from '../../src/fetch/browser/index.ts'
import { eventually, found } from '../support/eventually.ts'
import { TestService } from '../support/service.ts'

const detector = join(
  import.meta.dirname,
  '../drop-in/botd/node_modules/@fingerprintjs/botd/dist/botd.esm.js',
)

const looks = `<!doctype html><title>Looks</title><p id="looks"></p><script type="module">
const seen = { ua: navigator.userAgent, screen: [screen.width, screen.height], inner: [innerWidth, innerHeight],
  cores: navigator.hardwareConcurrency, driven: navigator.webdriver, languages: navigator.languages }
await fetch('/data?of=' + location.pathname)
document.getElementById('looks').textContent = JSON.stringify(seen)
</script>`

const botd = `<!doctype html><title>Detector</title><p id="looks"></p><script type="module">
import { load } from '/botd.js'
const detected = await (await load()).detect()
document.getElementById('looks').textContent = JSON.stringify(detected)
</script>`

interface Status {
  status: string
  results: Array<{ url: string; status: string; html_content: string | null; error_message: string | null }>
}

describe('the stealth fetch API', () => {
  const requests: Array<{ url: string; raw: string[] }> = []
  let server: Server
  let service: TestService
  let key: string
  let origin: string
  before(async () => {
    if (!existsSync(detector)) throw new Error('BotD is not installed: run ci/drop-in')
    const script = readFileSync(detector)
    server = createServer((request, response) => {
      requests.push({ url: request.url ?? '', raw: request.rawHeaders })
      const isScript = request.url === '/botd.js'
      response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8')
      response.end(isScript ? script : request.url?.startsWith('/botd') ? botd : looks)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    origin = `http://127.0.0.1:${port}`
    service = await TestService.open({
      settings: { allowPrivate: [`127.0.0.1:${port}`], rate: 'unlimited', scrapeIdentity: 'browser' },
    })
    // The operator has enabled stealth for all keys, so the key needs no scope for it.
    key = await service.key({ scopes: ['read', 'submit'] })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    server?.closeAllConnections()
    server?.close()
  })

  /** Sends a request in the seed's format, with `links` and `options`. */
  async function fetched(paths: string[]): Promise<Status['results']> {
    const body = {
      links: paths.map(path => `${origin}${path}`),
      options: { wait_min: 0.5, wait_max: 1, concurrency_limit: 2 },
    }
    const started = await service.ask<{ job_id: string; status_url: string }>('/fetch/start', { key, body })
    assert.equal(started.status, 202, started.text)
    const path = new URL(started.body.status_url).pathname
    const done = await found(
      'the links',
      async () => {
        const { body: status } = await service.ask<Status>(path, { key })
        return ['completed', 'partially_completed', 'failed'].includes(status.status) ? status : undefined
      },
      120_000,
    )
    return done.results
  }

  const rawOf = (url: string): string[] => requests.find(request => request.url === url)!.raw
  const namesIn = (raw: string[]): string[] => raw.filter((_, index) => index % 2 === 0)
  const headerIn = (raw: string[], name: string): string | undefined => raw[raw.indexOf(name) + 1]

  /** Opens the URL in Chromium as a user would start it, without a driver or a proxy. */
  async function visitUndriven(url: string): Promise<void> {
    const profile = await mkdtemp(join(tmpdir(), 'kscrape-undriven-'))
    const { executablePath } = (await findBrowser({ wants: 'full' }))!
    const flags = ['--headless', '--no-sandbox', '--no-first-run', `--user-data-dir=${profile}`]
    const child = spawn(executablePath, [...flags, `--accept-lang=${languagesIn(null)}`, url], {
      ...{ detached: true, stdio: 'ignore' },
    })
    const exit = new Promise(resolve => child.once('exit', resolve))
    const path = new URL(url).pathname
    await eventually('the last request of the page', () =>
      requests.some(one => one.url === `/data?of=${path}`),
    )
    process.kill(-child.pid!, 'SIGKILL')
    await exit
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }

  const seenIn = (html: string | null): Record<string, unknown> =>
    JSON.parse(/<p id="looks">(.*?)<\/p>/s.exec(html ?? '')?.[1]?.replaceAll('&amp;', '&') || 'null')

  test('links of one job without proxies have different fingerprints, and no fingerprint reveals automation', async () => {
    const results = await fetched(['/a', '/b', '/c'])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['success', 'success', 'success'],
    )
    const all = results.map(({ html_content }) => seenIn(html_content))
    assert.ok(all.every(({ driven }) => driven === false))
    assert.ok(new Set(all.map(one => JSON.stringify(one))).size > 1, JSON.stringify(all))
  })

  test('navigations and fetch() send the headers of an ordinary Chromium, in its order', async () => {
    await visitUndriven(`${origin}/undriven`)
    const [page, data] = ['/undriven', '/data?of=/undriven'].map(url => rawOf(url))
    const [drivenPage, drivenData] = ['/a', '/data?of=/a'].map(url => rawOf(url))
    assert.deepEqual(namesIn(drivenPage!), namesIn(page!))
    assert.deepEqual(namesIn(drivenData!), namesIn(data!))
    assert.equal(headerIn(page!, 'Accept-Language'), headerIn(drivenPage!, 'Accept-Language'))
    assert.match(headerIn(drivenPage!, 'Accept-Language') ?? '', /;q=0\.9/)
    assert.equal(headerIn(drivenPage!, 'Accept-Language'), headerIn(drivenData!, 'Accept-Language'))
  })

  test('BotD detects no bot', async () => {
    const [result] = await fetched(['/botd-page'])
    assert.deepEqual(seenIn(result!.html_content), { bot: false })
  })

  test('the conduct receipt names the operator as the one who allowed stealth', async () => {
    const body = { links: [`${origin}/d`] }
    const { body: started } = await service.ask<{ job_id: string }>('/fetch/start', { key, body })
    const { body: conduct } = await service.ask<{ consents: Array<{ what: string; who: string }> }>(
      `/jobs/${started.job_id}/conduct`,
      { key },
    )
    assert.ok(conduct.consents.some(({ what, who }) => what === 'stealth' && who === 'operator'))
  })
})
