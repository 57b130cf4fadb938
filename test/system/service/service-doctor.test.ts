// Tests kscrape doctor --server: it checks a running service only through its API.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkService } from '../../../src/cli/actions/doctor-service.ts'
import { Client } from '../../../src/client.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { operatorKey, TestService } from '../../support/service.ts'
import { Workplace } from '../run-cli.ts'

let site: TestSite
let service: TestService
before(async () => {
  site = await startTestSite()
  service = await TestService.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
})
after(async () => {
  await service?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

const examine = async (apiKey: string, page?: string) => {
  const findings = await checkService(new Client({ server: service.url, apiKey }), page)
  return Object.fromEntries(findings.map(({ name, ...rest }) => [name, rest]))
}

test('a working service passes all checks, including a test job, and the checks leave nothing behind', async () => {
  await using place = await Workplace.open()
  const flags = ['doctor', '--server', service.url, '--page', `${site.url}/about`, '--json']
  const { code, stdout } = await place.run(flags, { env: { SCRAPER_API_KEY: operatorKey } })
  const findings = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { name: string; verdict: string; note: string })
  assert.deepEqual(
    findings.map(({ name, verdict }) => [name, verdict]),
    ['service', 'key', 'readiness', 'workers', 'metrics', 'a page'].map(name => [name, 'ok']),
  )
  assert.match(findings.at(-1)!.note, /became a record in \d+ ms \(HTTP 200\)/)
  assert.equal(code, 0)
  assert.deepEqual((await service.ask<{ jobs: unknown[] }>('/jobs')).body.jobs, [])
})

test('a key without the scope for a check is not reported as a defect of the service', async () => {
  const key = await service.key({ name: 'reader', scopes: ['read'] })
  const findings = await examine(key)
  assert.deepEqual([findings.readiness!.verdict, findings.workers!.verdict], ['missing', 'missing'])
  assert.match(findings.readiness!.note, /not checked: /)
  assert.equal(Object.values(findings).filter(({ verdict }) => verdict === 'broken').length, 0)
})

test('a wrong key is reported, with the setting for the right key', async () => {
  const { key } = await examine('not-a-key-of-this-service')
  assert.equal(key!.verdict, 'broken')
  assert.match(key!.fix!, /SCRAPER_API_KEY/)
})

test('if the page of the test job fails, its failure code is reported, and the test job stays stored', async () => {
  const { 'a page': page } = await examine(operatorKey, `${site.url}/nowhere`)
  assert.equal(page!.verdict, 'broken')
  assert.match(page!.note, /http\.not-found .* was not deleted, for inspection/)
})

test('if the service does not answer, only this is reported, and the command fails', async () => {
  const nobody = new Client({ server: 'http://127.0.0.1:9', apiKey: operatorKey, retries: 0 })
  const findings = await checkService(nobody)
  assert.deepEqual(
    findings.map(({ name, verdict }) => [name, verdict]),
    [['service', 'broken']],
  )
})

test('doctor refuses flags that its checks do not use', async () => {
  await using place = await Workplace.open()
  const page = await place.run(['doctor', '--page', site.url])
  const fix = await place.run(['doctor', '--fix', '--server', service.url])
  assert.match(page.stderr, /name one with --server/)
  assert.match(fix.stderr, /leave out --server/)
  assert.deepEqual([page.code, fix.code], [2, 2])
})
