// Tests that the diagnostic bundle of a job or a process is useful and contains no secret.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { readTar } from '../../../src/lib/tar.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { operatorKey, TestService } from '../../support/service.ts'
import { Workplace } from '../run-cli.ts'

/** A separate secret for each place where the bundle could contain one. */
const secrets = {
  proxyPassword: 'pr0xy-passw0rd',
  jobProxyPassword: 'j0b-pr0xy-pass',
  apiKey: operatorKey,
  serviceKey: 'service-key-0123456789',
  webhookSecret: 'whsec-of-this-test',
  webhookPath: 'T0HOOK-PATH-TOKEN',
  authorization: 'Bearer eyJ-authorization-value',
  cookie: 'sid=cookie-value-4711',
  customHeader: 'value-of-a-header-of-mine',
  databasePassword: 'db-passw0rd',
  redisPassword: 'redis-passw0rd',
  clusterSecret: 'cluster-secret-cluster-secret-0123',
  s3Secret: 's3-secret-access-key',
  llmKey: 'llm-key-0123456789',
  zonePassword: 'z0ne-passw0rd',
  collectorKey: 'otlp-collector-key',
  typed: 'typed-into-a-form-8812',
  queryToken: 'query-token-value-99',
  row: 'input-of-a-row-5521',
}

let site: TestSite
let service: TestService
let place: Workplace

const settings = () => ({
  allowPrivate: [`${site.host}:${site.port}`],
  ...{ serviceKey: secrets.serviceKey, webhookSecret: [secrets.webhookSecret], rate: 'unlimited' as const },
  databaseUrl: `postgres://kscrape:${secrets.databasePassword}@db.example/kscrape`,
  redisUrl: `redis://:${secrets.redisPassword}@redis.example:6379`,
  ...{ clusterSecret: secrets.clusterSecret, s3SecretAccessKey: secrets.s3Secret, llmApiKey: secrets.llmKey },
  brightdataZones: [`residential=zone1:${secrets.zonePassword}`],
  brightdataCustomer: 'c_1',
  otlpHeaders: `x-api-key=${secrets.collectorKey}`,
})

before(async () => {
  site = await startTestSite()
  place = await Workplace.open()
  service = await TestService.open({ settings: settings() })
  const headers = {
    authorization: secrets.authorization,
    cookie: secrets.cookie,
    'x-of-mine': secrets.customHeader,
  }
  const urls = [`${site.url}/about`, `${site.url}/missing?access_token=${secrets.queryToken}`]
  const webhookUrl = `${site.url}/hooks/${secrets.webhookPath}`
  await service.submit({ job_id: 'ill', urls, headers, webhook_url: webhookUrl })
  await service.ended('ill')
  const proxied = { proxy: { urls: [`http://user:${secrets.jobProxyPassword}@${site.host}:${site.port}`] } }
  await service.submit({ job_id: 'proxied', urls: [`${site.url}/jobs`], policy: proxied })
  await service.submit({
    job_id: 'rows',
    ...{ scraper_id: 'example-mock', items: [{ input: { note: secrets.row } }] },
  })
  await service.ended('rows')
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const there = () => ['--server', service.url, '--api-key', operatorKey]

async function entriesOf(file: string): Promise<Map<string, string>> {
  const entries = new Map<string, string>()
  async function* chunks() {
    yield gunzipSync(await readFile(place.file(file)))
  }
  for await (const { path, content } of readTar(chunks()))
    entries.set(path.split('/').at(-1)!, Buffer.concat(await Array.fromAsync(content)).toString('utf8'))
  return entries
}

/** Searches for each secret, plain and in its possible encodings. */
function refuseSecrets(entries: Map<string, string>): void {
  for (const [file, text] of entries)
    for (const [name, secret] of Object.entries(secrets))
      for (const form of [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)])
        assert.ok(!text.includes(form), `${file} contains ${name}`)
}

test('the diagnosis of a job shows its state and why tasks failed, without any secret', async () => {
  const run = await place.run(['diagnose', 'ill', ...there(), '--out', 'ill.tar.gz', '--cpu', '1'])
  assert.equal(run.code, 0, run.stderr)
  assert.match(run.stdout, /errors\.json/)
  const entries = await entriesOf('ill.tar.gz')
  refuseSecrets(entries)
  const section = (name: string) => JSON.parse(entries.get(`${name}.json`)!)
  const { job } = { job: section('job') }
  assert.equal(job.state, 'partially_completed')
  assert.equal(job.counts.by_state.succeeded, 1)
  assert.equal(job.spec.headers.authorization, 'REDACTED')
  assert.equal(section('errors').last['http.not-found'].length, 1)
  assert.equal(section('versions').kscrape, '0.1.0')
  assert.ok(section('settings').rate.value)
  assert.equal(section('hosts')[0].host, `${site.host}:${site.port}`)
  assert.ok(section('events').some((event: { name: string }) => event.name === 'job.moved'))
  assert.ok(section('workers').workers.length > 0)
  assert.ok(JSON.parse(entries.get('cpu.cpuprofile')!).nodes.length > 0)
  assert.match(entries.get('README.txt')!, /replaced by REDACTED/)
})

test('the diagnosis contains proxies and rows of jobs, without their secrets', async () => {
  for (const name of ['proxied', 'rows']) {
    const { status, text, body } = await service.ask(`/diagnostics/${name}`)
    assert.equal(status, 200)
    refuseSecrets(new Map([[name, text]]))
    assert.equal(body.about, 'job')
  }
})

test('a job in a data directory can be diagnosed while another process runs the job', async () => {
  const secret = { SCRAPER_WEBHOOK_SECRET: secrets.webhookSecret, SCRAPER_API_KEY: operatorKey }
  const flags = ['--data-dir', service.folder, '--out', 'here.tar.gz', '--json']
  const run = await place.run(['diagnose', 'ill', ...flags], { env: secret })
  assert.equal(run.code, 0, run.stderr)
  assert.ok(JSON.parse(run.stdout).entries.some((entry: { name: string }) => entry.name === 'job.json'))
  const entries = await entriesOf('here.tar.gz')
  refuseSecrets(entries)
  assert.equal(JSON.parse(entries.get('directory.json')!).owner.command, 'test')
  const measured = await place.run(['diagnose', 'ill', ...flags, '--heap'])
  assert.equal(measured.code, 2)
  assert.match(measured.stderr, /--server/)
})

test('a diagnosis with a heap snapshot warns that the snapshot is not redacted, and the service itself can be diagnosed', async () => {
  const run = await place.run(['diagnose', 'service', ...there(), '--out', 'heap.tar.gz', '--heap'])
  assert.equal(run.code, 0, run.stderr)
  assert.match(run.stderr, /not redacted/)
  const entries = await entriesOf('heap.tar.gz')
  assert.match(entries.get('README.txt')!, /heap\.heapsnapshot +NOT REDACTED/)
  assert.ok(entries.get('heap.heapsnapshot')!.startsWith('{"snapshot"'))
  entries.delete('heap.heapsnapshot')
  refuseSecrets(entries)
})

test('only operators get a diagnosis, and the error for an unknown name lists the known ones', async () => {
  const key = await service.key({ name: 'reader', scopes: ['read', 'submit'] })
  assert.equal((await service.ask('/diagnostics/ill', { key })).status, 403)
  const other = await service.key({ name: 'other', workspace: 'other', scopes: ['admin'] })
  assert.equal((await service.ask('/diagnostics/ill', { key: other })).status, 403)
  const { status, text } = await service.ask('/diagnostics/nothing-of-that-name')
  assert.equal(status, 404)
  assert.match(text, /neither a job nor a worker .*service/)
  const profile = await service.ask('/diagnostics/nothing-of-that-name/profile', {
    body: { kind: 'cpu', seconds: 1 },
  })
  assert.equal(profile.status, 404)
})
