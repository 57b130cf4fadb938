// Tests credentials of workspaces on a running service: where they are sent, and where they never appear.
import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { isWarcKey } from '../../../src/results/keys.ts'
import { unpack } from '../../../src/results/unpack.ts'
import { defineScraper } from '../../../src/scraper/define-scraper.ts'
import { startTestSite, startTlsServer, type TestSite, type TlsServer } from '../../site/index.ts'
import { TestService } from '../../support/service.ts'

const password = 'pass phrase/of+the&shop'
const header = 'Bearer header-secret-4711'
const backendKey = 'what-the-backend-knows-us-by'
const fast = { policy: { host: { rate: 'unlimited' }, retries: { attempts: 0 } } }

const shop = defineScraper({
  id: 'shop',
  credentials: 'shop',
  async run({ url, open, emit, credentials }) {
    const page = await open(url, { form: { user: credentials.username!, password: credentials.password! } })
    emit({ title: page.text('h1'), who: credentials.username! })
  },
})

/** A scraper that puts its credentials into its record. */
const leaky = defineScraper({
  id: 'leaky',
  credentials: 'shop',
  async run({ credentials }) {
    throw new Error(
      `could not log in with ${credentials.password} as ${encodeURIComponent(credentials.password!)}`,
    )
  },
})

describe('credentials', () => {
  let site: TestSite
  let backend: TlsServer
  let service: TestService
  const keysSeen: unknown[] = []

  const settings = () => ({
    allowPrivate: [`${site.host}:${site.port}`],
    ...{ caFile: backend.caFile, credentialsUrl: backend.url, credentialsKey: backendKey },
  })
  before(async () => {
    site = await startTestSite()
    site.serve('/login', `<h1>Welcome</h1><p>You sent ${password}</p>`)
    backend = await startTlsServer({
      kind: 'good-with-own-ca',
      answer: (request, response) => {
        keysSeen.push(request.headers['x-service-key'])
        const isKnown = request.url === '/api/v1/workspaces/team/credentials/shop'
        response.statusCode = isKnown ? 200 : 404
        response.end(
          JSON.stringify({ success: isKnown, data: isKnown ? { username: 'jo', password } : null }),
        )
      },
    })
    service = await TestService.open({ settings: settings(), scrapers: [shop, leaky] })
  })
  after(async () => {
    await service?.[Symbol.asyncDispose]()
    await backend?.close()
    await site?.[Symbol.asyncDispose]()
  })

  const teamKey = () => service.key({ workspace: 'team', scopes: ['submit', 'credentials'] })

  test('a scraper gets the workspace’s credential for its provider, which is requested once and stored nowhere', async () => {
    const key = await teamKey()
    const rows = [1, 2, 3].map(n => ({ item_id: `row-${n}`, input: { url: `${site.url}/login?n=${n}` } }))
    const jobId = await service.submit(
      { scraper_id: 'shop', items: rows, headers: { Authorization: header }, ...adminless },
      { key },
    )
    const status = (await service.ended(jobId, { key })) as { counts: { by_reason: object } }
    assert.deepEqual(status.counts.by_reason, { ok: 3 })
    const sent = site.requestsTo('/login')
    assert.ok(sent.every(request => request.headers.authorization === header))
    assert.deepEqual(keysSeen, [backendKey])

    const failing = await service.submit(
      { scraper_id: 'leaky', urls: [`${site.url}/a`], ...adminless },
      { key },
    )
    await service.ended(failing, { key })
    const failed = await service.ask(`/jobs/${failing}/results?status=error`, { key })
    assert.match(failed.text, /could not log in with REDACTED/)
    const answers = await Promise.all(
      ['/results', '/status', '/items', '/conduct'].map(path =>
        service.ask(`/jobs/${jobId}${path}`, { key }),
      ),
    )
    const told = [...answers, failed, await service.ask('/metrics')].map(({ text }) => text).join('\n')
    refuseSecrets('answers', told)
    refuseSecrets('the log', JSON.stringify(service.logged))
    for (const [file, text] of filesIn(service.folder)) refuseSecrets(file, text)
  })

  test('if a workspace lacks the credential, the error has its public code', async () => {
    const key = await service.key({ workspace: 'nobody', scopes: ['submit', 'credentials'] })
    const jobId = await service.submit(
      { scraper_id: 'shop', urls: [`${site.url}/login`], ...adminless },
      { key },
    )
    const status = (await service.ended(jobId, { key })) as { counts: { by_reason: object } }
    assert.deepEqual(status.counts.by_reason, { 'credential.not-found': 1 })
    const sync = await service.ask<{ error: { code: string } }>('/api/v1/scrape/sync', {
      key,
      body: { url: `${site.url}/login`, target_type: 'shop' },
    })
    assert.deepEqual([sync.status, sync.body.error.code], [424, 'CredentialNotFoundError'])
  })

  test('secret headers of a job still work after a restart, although they are encrypted in the store', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kscrape-sealed-'))
    const first = await TestService.open({ settings: settings() }, folder)
    const host = `${site.host}:${site.port}`
    await first.ask(`/hosts/${host}/pause`, { body: {} })
    const jobId = await first.submit({
      urls: [`${site.url}/sealed`],
      headers: { Authorization: header, Accept: 'text/html' },
      ...fast,
    })
    const { spec } = (await first.service.engine.data.store.jobs.get(jobId))!
    assert.match(spec.headers.Authorization!, /^sealed:/)
    assert.equal(spec.headers.Accept, 'text/html')
    await first.close()
    for (const [file, text] of filesIn(folder)) refuseSecrets(file, text)
    assert.equal(statSync(join(folder, 'seal.key')).mode & 0o777, 0o600)

    await using second = await TestService.open({ settings: settings() }, folder)
    await second.ask(`/hosts/${host}/resume`, { method: 'POST' })
    await second.ended(jobId)
    assert.equal(site.requestsTo('/sealed')[0]?.headers.authorization, header)
  })

  test('local secrets are available only to the default workspace', async () => {
    await using own = await TestService.open({
      settings: { allowPrivate: settings().allowPrivate },
      scrapers: [shop],
    })
    await writeFile(join(own.folder, 'secrets.env'), `SHOP_USERNAME=al\nSHOP_PASSWORD="${password}"\n`, {
      mode: 0o600,
    })
    const jobId = await own.submit({ scraper_id: 'shop', urls: [`${site.url}/login`], ...fast })
    await own.ended(jobId)
    assert.match((await own.ask(`/jobs/${jobId}/results`)).text, /"who":"al"/)
    const key = await own.key({ workspace: 'team', scopes: ['submit', 'credentials'] })
    const theirs = await own.submit(
      { scraper_id: 'shop', urls: [`${site.url}/login`], ...adminless },
      { key },
    )
    const status = (await own.ended(theirs, { key })) as { counts: { by_reason: object } }
    assert.deepEqual(status.counts.by_reason, { 'credential.not-found': 1 })
    await rm(join(own.folder, 'secrets.env'))
    for (const [file, text] of filesIn(own.folder)) refuseSecrets(file, text)
  })
})

/** A job without retries. */
const adminless = { policy: { retries: { attempts: 0 } } }

/** The password, plain and as encoded in forms, URLs and JSON. */
const forms = [
  password,
  encodeURIComponent(password),
  new URLSearchParams([['', password]]).toString().slice(1),
  header,
].flatMap(secret => [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')])

function refuseSecrets(where: string, text: string): void {
  for (const form of forms) assert.ok(!text.includes(form), `${where} contains ${form}`)
}

/** Every file of a data directory, with segments decompressed. */
function* filesIn(folder: string): Iterable<[file: string, text: string]> {
  for (const file of globSync('**/*', { cwd: folder })) {
    const path = join(folder, file)
    if (!statSync(path).isFile()) continue
    const bytes = readFileSync(path)
    yield [file, bytes.toString('latin1')]
    if (isWarcKey(file)) yield [file, unpack(bytes).toString('latin1')]
  }
}

test('a backend with an untrusted certificate does not receive the key', async () => {
  await using site = await startTestSite()
  await using backend = await startTlsServer({ kind: 'self-signed' })
  await using service = await TestService.open({
    settings: {
      ...{
        allowPrivate: [`${site.host}:${site.port}`],
        credentialsUrl: backend.url,
        credentialsKey: backendKey,
      },
    },
    scrapers: [shop],
  })
  const jobId = await service.submit({ scraper_id: 'shop', urls: [`${site.url}/login`], ...fast })
  const status = (await service.ended(jobId)) as { counts: { by_reason: object } }
  assert.deepEqual(status.counts.by_reason, { 'credential.unavailable': 1 })
  assert.deepEqual(backend.requests, [])
})
