// Seed 003 (an earlier specification): tests that its curl command works unchanged right after `kscrape serve --demo`.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { withOwnName } from '../../src/cli/seed-names.ts'
import { type DemoSite, startDemoSite } from '../../src/demo-site/index.ts'
import { foreignIn } from '../../src/server/demo-guard.ts'
import { eventually } from '../support/eventually.ts'
import { programEnv } from '../support/program-env.ts'
import { TestService } from '../support/service.ts'

/** The body as written in the seed. */
const seedsBody = `{
    "job_id": "test-001",
    "scraper_id": "example-http",
    "items": [
      {"item_id": "item-1", "input": {"test_param": "hello"}},
      {"item_id": "item-2", "input": {"test_param": "world"}}
    ]
  }`

test('the command names of the seed are aliases of the jobs commands', () => {
  assert.deepEqual(withOwnName(['create-job', 'job.yaml']), ['jobs', 'create', 'job.yaml'])
  assert.deepEqual(withOwnName(['list-jobs', '--json']), ['jobs', 'list', '--json'])
  assert.deepEqual(withOwnName(['job-status', 'a']), ['jobs', 'show', 'a'])
  assert.deepEqual(withOwnName(['cancel-job', 'a']), ['jobs', 'cancel', 'a'])
  assert.deepEqual(withOwnName(['toString']), ['toString'])
})

test('only names and addresses of the machine itself count as local', () => {
  for (const host of ['localhost:8000', '127.0.0.1:8000', '[::1]:8000'])
    assert.equal(foreignIn({ host, origin: `http://${host}` }), null)
  assert.equal(foreignIn({ host: 'localhost:8000' }), null)
  assert.match(foreignIn({ host: 'evil.example:8000' }) ?? '', /^Host/)
  assert.match(foreignIn({}) ?? '', /^Host/)
  for (const origin of ['https://evil.example', 'null', 'http://localhost:5173'])
    assert.match(foreignIn({ host: 'localhost:8000', origin }) ?? '', /^Origin/)
})

describe('a demo service', () => {
  let site: DemoSite
  let service: TestService
  before(async () => {
    site = await startDemoSite({ port: 0 })
    service = await TestService.open({
      isDemo: true,
      settings: { apiKey: undefined, allowPrivate: [`${site.host}:${site.port}`] },
    })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await site?.[Symbol.asyncDispose]()
  })

  /** Uses node:http, because `fetch` always sets the Host header itself. */
  const post = (headers: Record<string, string>, body: string) =>
    new Promise<number>((resolve, reject) => {
      const sent = request(`${service.url}/jobs`, { method: 'POST', headers }, response => {
        response.resume()
        resolve(response.statusCode ?? 0)
      })
      sent.on('error', reject)
      sent.end(body)
    })

  test('the demo service accepts the request of the seed without a key, and its job finishes', async () => {
    const body = seedsBody.replaceAll('"}}', `", "base_url": "${site.url}"}}`)
    assert.equal(await post({ 'Content-Type': 'application/json' }, body), 202)
    const ended = await service.ended('test-001', { key: null })
    assert.equal(ended.status, 'completed')
    const { text } = await service.ask('/jobs/test-001/results', { key: null })
    for (const param of ['hello', 'world']) assert.ok(text.includes(param))
  })

  test('the demo service refuses requests with the Host or Origin of another machine', async () => {
    const json = { 'Content-Type': 'application/json' }
    assert.equal(await post({ ...json, Host: 'rebound.example' }, seedsBody), 403)
    assert.equal(await post({ ...json, Origin: 'https://evil.example' }, seedsBody), 403)
  })

  test('the demo service listens on loopback only', async () => {
    await assert.rejects(
      TestService.open({ isDemo: true, settings: { host: '0.0.0.0' } }),
      /this machine only/,
    )
  })
})

test('kscrape serve --demo prints a command that works, and exits with code 0 after SIGTERM', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-demo-test-'))
  const program = join(import.meta.dirname, '../../src/cli/kscrape.ts')
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, 'serve', '--demo', '--port', '0', '--quiet'],
    {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...programEnv(folder), SCRAPER_BUSY_LAG: '0s' },
    },
  )
  let said = ''
  child.stderr.on('data', data => {
    said += String(data)
  })
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  await eventually('the demo service to start', () => /^try: {5}curl.*\n/m.test(said))
  // The printed command works, even if another program uses the port of the demo site.
  const [, url, body] = /curl -X POST (\S+) .* -d '(.*)'/.exec(said)!
  const [isUsual, names] = [!said.includes('port 8080 is in use'), body!.includes('"base_url"')]
  assert.equal(isUsual, !names)
  const sent = await fetch(url!, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: body!,
  })
  assert.equal(sent.status, 202)
  const { job_id } = (await sent.json()) as { job_id: string }
  await eventually('the record of the job', async () => {
    const { status } = (await (await fetch(`${url}/${job_id}/status`)).json()) as { status: string }
    assert.notEqual(status, 'failed')
    return status === 'completed'
  })
  child.kill('SIGTERM')
  assert.deepEqual([await ended, /no key is needed/.test(said)], [0, true])
  await rm(folder, { recursive: true, force: true })
})

test('the CLI warns if a proxy type does not support a location', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-proxy-test-'))
  const program = join(import.meta.dirname, '../../src/cli/kscrape.ts')
  const flags = [
    '--proxy-type',
    'datacenter',
    '--country',
    'us',
    '--city',
    'phoenix',
    '--allow-private',
    '127.0.0.1:9',
  ]
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', program, 'scrape', 'https://a.example/', ...flags],
    {
      ...{ cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
      env: {
        ...{ ...programEnv(folder), SCRAPER_BRIGHTDATA_CUSTOMER: 'c1' },
        ...{ SCRAPER_BRIGHTDATA_ZONES: 'datacenter=z:pw', SCRAPER_BRIGHTDATA_GATEWAY: 'http://127.0.0.1:9' },
      },
    },
  )
  let said = ''
  child.stderr.on('data', data => {
    said += String(data)
  })
  await new Promise(resolve => child.once('close', resolve))
  assert.match(
    said,
    /warning: datacenter proxies of brightdata can be chosen by country only: city "phoenix"/,
  )
  await rm(folder, { recursive: true, force: true })
})
