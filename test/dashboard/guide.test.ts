// Tests how the guide is served: its pages and files, its content security policy, and the message if it was not built.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { TestService } from '../support/service.ts'

const inline = 'document.documentElement.classList.add("dark")'
const page = (title: string) =>
  `<!doctype html><title>${title}</title><script id="look">${inline}</script><script type="module" src="/guide/assets/app.1.js"></script>`

let folder: string
let service: TestService

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-guide-'))
  for (const name of ['assets', 'deploy', 'runbooks']) await mkdir(join(folder, name))
  for (const name of ['index', 'cli', 'deploy/aws', 'runbooks/index'])
    await writeFile(join(folder, `${name}.html`), page(name))
  await writeFile(join(folder, 'assets/app.1.js'), 'export {}')
  service = await TestService.open({ guideFolder: folder })
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const anyone = { key: null }

test('every page of the guide is public, both with and without .html in its URL', async () => {
  for (const [path, title] of [
    ['/guide/', 'index'],
    ['/guide/cli', 'cli'],
    ['/guide/cli.html', 'cli'],
    ['/guide/deploy/aws.html', 'deploy/aws'],
    ['/guide/runbooks/', 'runbooks/index'],
  ]) {
    const { status, text } = await service.ask(path!, anyone)
    assert.equal(status, 200, path)
    assert.ok(text.includes(`<title>${title}</title>`), path)
  }
  const short = await fetch(`${service.url}/guide`, { redirect: 'manual' })
  assert.deepEqual([short.status, short.headers.get('location')], [308, '/guide/'])
})

test('the content security policy of the guide allows only the scripts of its build', async () => {
  const { headers } = await service.ask('/guide/cli', anyone)
  const policy = headers.get('content-security-policy') ?? ''
  const hash = createHash('sha256').update(inline).digest('base64')
  const rules = policy.split('; ')
  for (const rule of [
    `default-src 'none'`,
    `script-src 'self' 'sha256-${hash}'`,
    `connect-src 'self'`,
    `frame-ancestors 'none'`,
  ])
    assert.ok(rules.includes(rule), `${rule} in ${policy}`)
  assert.ok(!/https?:|\*|unsafe-eval/.test(policy), policy)
})

test('guide files with a hash in their name are cached permanently, and pages are revalidated each time', async () => {
  const asset = await service.ask('/guide/assets/app.1.js', anyone)
  assert.match(asset.headers.get('cache-control') ?? '', /immutable/)
  const { headers } = await service.ask('/guide/cli', anyone)
  assert.equal(headers.get('cache-control'), 'no-cache')
})

test('no file outside the folder of the guide is served, and a missing page is an error', async () => {
  for (const path of [
    '/guide/..%2f..%2fpackage.json',
    '/guide/%2e%2e/%2e%2e/etc/passwd',
    '/guide/no-such-page',
    '/guide/assets/none.js',
    '/guide/%00',
  ]) {
    const { status, body } = await service.ask<{ error: { code: string } }>(path, anyone)
    assert.deepEqual([status, body.error.code], [404, 'route.unknown'], path)
  }
})

test('if the guide was not built, every page says how to build it', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'kscrape-guide-none-'))
  await using bare = await TestService.open({ guideFolder: empty })
  for (const path of ['/guide/', '/guide/cli']) {
    const { status, text } = await bare.ask(path, anyone)
    assert.equal(status, 503)
    assert.match(text, /make guide/)
  }
  await rm(empty, { recursive: true })
})
