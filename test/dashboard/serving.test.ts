// Tests how the dashboard is served: its security policy, its size, and the message if it was not built.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { buildDashboard } from '../support/dashboard.ts'
import { TestService } from '../support/service.ts'

/** The most bytes of gzipped JavaScript that may be loaded before the first page is shown. */
const mostFirstLoadBytes = 60_000

let folder: string
let service: TestService

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-dashboard-'))
  await buildDashboard(folder)
  service = await TestService.open({ dashboardFolder: folder })
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const anyone = { key: null }

test('the dashboard page is public, has no inline code, and refers only to files of the service', async () => {
  const { status, text, headers } = await service.ask('/', anyone)
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /text\/html/)
  const named = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!)
  assert.ok(named.length >= 3)
  for (const address of named) assert.match(address, /^\/assets\/[\w.-]+$/)
  assert.ok(!/<script(?![^>]*\bsrc=)[^>]*>|<style|\sstyle=|\son\w+=/i.test(text), text)
})

test('the content security policy of the dashboard allows only its own scripts, resources and frames, and nothing inline', async () => {
  const { headers } = await service.ask('/', anyone)
  const policy = headers.get('content-security-policy') ?? ''
  assert.ok(!/unsafe|https?:|\*/.test(policy), policy)
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ])
    assert.ok(policy.split('; ').includes(rule), `${rule} in ${policy}`)
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('x-frame-options'), 'DENY')
})

test('the frame for picking has no origin, runs only the script with the allowed hash, and can send no request', async () => {
  const { status, headers, text } = await service.ask('/picker', anyone)
  assert.equal(status, 200)
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /(^|; )sandbox allow-scripts$/)
  assert.match(policy, /default-src 'none'; script-src 'sha256-[\w+/=]+';/)
  assert.ok(!/unsafe|same-origin|connect-src|https?:/.test(policy), policy)
  assert.match(policy, /frame-ancestors 'self'/)
  assert.equal(text.match(/<script/g)?.length, 1)
})

test('dashboard files with a hash in their name are cached permanently, and the page is revalidated each time', async () => {
  const { text, headers } = await service.ask('/', anyone)
  assert.equal(headers.get('cache-control'), 'no-cache')
  const again = await service.ask('/', { ...anyone, headers: { 'if-none-match': headers.get('etag')! } })
  assert.equal(again.status, 304)
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(text)![1]!
  const asset = await service.ask(script, anyone)
  assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.match(asset.headers.get('content-type') ?? '', /text\/javascript/)
})

test('no file outside the folder of the dashboard is served, and a missing file is an ordinary error', async () => {
  for (const path of [
    '/assets/..%2f..%2fpackage.json',
    '/assets/%2e%2e/package.json',
    '/assets/none.js',
    '/assets/x.json',
  ]) {
    const { status, body } = await service.ask<{ error: { code: string } }>(path, anyone)
    assert.equal(status, 404, path)
    assert.equal(body.error.code, 'route.unknown', path)
  }
})

test(`the first visit loads less than ${mostFirstLoadBytes / 1_000} KB of JavaScript, gzipped`, async () => {
  const page = await readFile(join(folder, 'index.html'), 'utf8')
  const scripts = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, name]) => name!)
  const sizes = await Promise.all(
    scripts.map(async name => gzipSync(await readFile(join(folder, name))).length),
  )
  const all = sizes.reduce((sum, size) => sum + size, 0)
  assert.ok(all > 10_000 && all < mostFirstLoadBytes, `${all} bytes in ${scripts.join(', ')}`)
})

test('if the dashboard was not built, the page says how to build it, and the API works', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'kscrape-dashboard-none-'))
  await using bare = await TestService.open({ dashboardFolder: empty })
  const { status, text, headers } = await bare.ask('/', anyone)
  assert.equal(status, 503)
  assert.match(text, /make dashboard/)
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.equal((await bare.ask('/me')).status, 200)
  await rm(empty, { recursive: true })
})
