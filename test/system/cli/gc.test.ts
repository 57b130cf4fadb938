// Tests how expired data is deleted: by a job's own settings, through the API, and by the command. A running job loses nothing.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { eventually } from '../../support/eventually.ts'
import { operatorKey, TestService } from '../../support/service.ts'
import { Workplace } from '../run-cli.ts'

interface Collected {
  dry_run: boolean
  freed: Record<string, { removed: number; bytes: number }>
}

let site: TestSite
let service: TestService
let place: Workplace

before(async () => {
  site = await startTestSite()
  place = await Workplace.open()
  service = await TestService.open({
    settings: { allowPrivate: [`${site.host}:${site.port}`], rate: 'unlimited' },
  })
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

const recordsOf = async (jobId: string): Promise<number> => {
  const { text } = await service.ask(`/jobs/${jobId}/export?format=jsonl`)
  return text.split('\n').filter(Boolean).length
}

test('a job’s own retention is shown and applied for each kind of data, and other jobs keep their data', async () => {
  const urls = [`${site.url}/about`, `${site.url}/jobs`]
  using held = site.hold('/leaf/held')
  const output = [{ path: 'out.jsonl', format: 'jsonl' }]
  await service.submit({ job_id: 'kept', urls, output })
  await service.submit({
    job_id: 'short',
    urls,
    output,
    retention: { raw_ms: 1, records_ms: 1, exports_ms: 1 },
  })
  await service.submit({ job_id: 'gone', urls, retention: { job_ms: 1 } })
  for (const jobId of ['kept', 'short', 'gone']) await service.ended(jobId)
  await service.submit({
    job_id: 'running',
    urls: [`${site.url}/leaf/held`],
    retention: { raw_ms: 1, job_ms: 1 },
  })
  await held.arrived()
  const status = await service.ask<{ asked: { retention: unknown } }>('/jobs/short/status')
  assert.deepEqual(status.body.asked.retention, { raw_ms: 1, records_ms: 1, exports_ms: 1 })

  const flags = ['--data-dir', service.folder, '--json']
  const dry = JSON.parse((await place.run(['gc', '--dry-run', ...flags])).stdout) as Collected
  assert.equal(await recordsOf('short'), 2)
  assert.equal(dry.freed.records?.removed, 2)
  assert.equal(dry.freed.jobs?.removed, 1)

  const { status: answered, body } = await service.ask<Collected>('/gc', { method: 'POST', body: {} })
  assert.equal(answered, 200)
  assert.deepEqual(body, { dry_run: false, freed: dry.freed })
  assert.equal(body.freed.raw?.removed, 1)
  assert.equal(body.freed.exports?.removed, 1)
  assert.equal(await recordsOf('short'), 0)
  assert.equal(await recordsOf('kept'), 2)
  assert.equal((await service.ask('/jobs/kept/outputs/out.jsonl')).status, 200)
  assert.equal((await service.ask('/jobs/short/outputs/out.jsonl')).status, 404)
  assert.equal((await service.ask('/jobs/gone/status')).status, 404)
  held.release()
  assert.equal((await service.ended('running')).status, 'completed')
  await service.ask('/gc', { method: 'POST', body: {} })
})

test('the gc command shows what a service deleted, and a second run deletes nothing', async () => {
  const there = ['--server', service.url, '--api-key', operatorKey]
  const { code, stdout, stderr } = await place.run(['gc', ...there, '--compact'])
  assert.equal(code, 0, stderr)
  assert.match(stdout, /kind +removed +size/)
  assert.match(stdout, /records +0/)
  const shown = await place.run(['jobs', 'show', 'short', ...there])
  assert.match(shown.stdout, /retention: raw 1ms, records 1ms, exports 1ms/)
})

test('after the store’s file is rewritten, it has no data of a deleted job', async () => {
  const store = join(service.folder, 'store.sqlite')
  const mark = 'label-that-is-looked-for'
  await service.submit({ job_id: 'labelled', urls: [`${site.url}/about`], labels: { mark } })
  await service.ended('labelled')
  await service.ask('/gc', { body: { compact: true } })
  assert.ok((await readFile(store)).includes(mark))
  assert.equal((await service.ask('/jobs/labelled', { method: 'DELETE' })).status, 200)
  assert.equal((await service.ask('/gc', { body: { compact: true, dry_run: true } })).status, 422)
  assert.equal((await service.ask('/gc', { body: { compact: true } })).status, 200)
  assert.ok(!(await readFile(store)).includes(mark))
})

test('a service deletes expired data periodically', async () => {
  await using own = await TestService.open({
    settings: {
      ...{ allowPrivate: [`${site.host}:${site.port}`], rate: 'unlimited' },
      ...{ gcEvery: '50ms', jobRetention: '1ms' },
    },
  })
  await own.submit({ job_id: 'brief', urls: [`${site.url}/about`] })
  await eventually('the job is deleted', async () => (await own.ask('/jobs/brief/status')).status === 404)
})
