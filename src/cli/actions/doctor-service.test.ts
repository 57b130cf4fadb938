// Tests what `kscrape doctor` reports about a service, given the service's responses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type Client } from '../../client.ts'
import { checkService } from './doctor-service.ts'

type Fakes = Record<string, unknown> & { jobs?: Record<string, unknown> }

function serviceWith({ jobs, ...change }: Fakes = {}): Client & { deleted: string[] } {
  const deleted: string[] = []
  const readiness = { ready: true, checks: { store: 'ok' } }
  return {
    deleted,
    server: 'http://service.example',
    health: async () => ({ version: '1.2.3', uptimeSeconds: 9, status: 'ok' }),
    me: async () => ({ workspace: 'team', scopes: ['read'] }),
    workers: async () => ({ workers: [{ role: 'all-in-one' }], queueDepth: 0, readiness }),
    metrics: async () => '# TYPE kscrape_a counter\n# TYPE other counter\n# TYPE kscrape_b gauge\n',
    jobs: {
      create: async () => ({ jobId: 'job-1' }),
      wait: async () => ({ status: 'completed' }),
      resultPage: async () => ({ items: [{ status: 'success', httpStatus: 200 }] }),
      delete: async (jobId: string) => void deleted.push(jobId),
      ...jobs,
    },
    ...change,
  } as unknown as Client & { deleted: string[] }
}

const verdicts = async (service: Client, page?: string) =>
  (await checkService(service, page)).map(({ name, verdict }) => [name, verdict])
const findingOf = async (name: string, service: Client, page?: string) =>
  (await checkService(service, page)).find(finding => finding.name === name)!

test('doctor reports no problem of a healthy service, and deletes the job of its test page', async () => {
  const service = serviceWith()
  assert.deepEqual(await verdicts(service, 'https://a.example/'), [
    ...[
      ['service', 'ok'],
      ['key', 'ok'],
      ['readiness', 'ok'],
      ['workers', 'ok'],
      ['metrics', 'ok'],
    ],
    ['a page', 'ok'],
  ])
  assert.deepEqual(service.deleted, ['job-1'])
  assert.match((await findingOf('metrics', service)).note, /\b2 /)
})

test('if a service does not answer or refuses the key, doctor runs no further checks', async () => {
  const fails = () => Promise.reject(new Error('connection refused'))
  assert.deepEqual(await verdicts(serviceWith({ health: fails })), [['service', 'broken']])
  assert.deepEqual((await verdicts(serviceWith({ me: fails }))).at(-1), ['key', 'broken'])
})

test('if the key lacks the scope for a check, doctor reports the check as missing, not as broken', async () => {
  const forbidden = () =>
    Promise.reject(Object.assign(Object.create(ApiError.prototype), { status: 403, message: 'no' }))
  const finding = await findingOf('metrics', serviceWith({ metrics: forbidden }))
  assert.equal(finding.verdict, 'missing')
})

test('the finding about readiness names only failed checks', async () => {
  const readiness = { ready: false, checks: { store: 'ok', redis: 'gone' } }
  const workers = async () => ({ workers: [], queueDepth: 3, readiness })
  const finding = await findingOf('readiness', serviceWith({ workers }))
  assert.equal(finding.verdict, 'broken')
  assert.match(finding.note, /redis: gone/)
  assert.doesNotMatch(finding.note, /store/)
})

test('doctor reports missing workers of a cluster only if the service itself reports them', async () => {
  const workersOf = (checks: object) => async () => ({
    ...{ workers: [{ role: 'coordinator' }], queueDepth: 3 },
    readiness: { ready: true, checks },
  })
  const asleep = await findingOf('workers', serviceWith({ workers: workersOf({}) }))
  assert.deepEqual([asleep.verdict, /1 coordinator, .*\b3 /.test(asleep.note)], ['ok', true])
  const late = await findingOf('workers', serviceWith({ workers: workersOf({ workers: 'none for 10 min' }) }))
  assert.deepEqual([late.verdict, late.note], ['broken', 'none for 10 min'])
})

test('a server without our metrics is not a kscrape service', async () => {
  const metrics = async () => '# TYPE other counter\n'
  assert.equal((await findingOf('metrics', serviceWith({ metrics }))).verdict, 'broken')
})

test('if the test page fails, doctor shows the error and does not delete the job', async () => {
  const error = { code: 'http.not-found', message: 'HTTP 404' }
  const service = serviceWith({
    jobs: { resultPage: async () => ({ items: [{ status: 'failed', error }] }) },
  })
  const finding = await findingOf('a page', service, 'https://a.example/')
  assert.equal(finding.verdict, 'broken')
  assert.match(finding.note, /http\.not-found.*job-1/)
  assert.deepEqual(service.deleted, [])
})
