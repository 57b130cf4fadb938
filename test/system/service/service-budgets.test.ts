// Tests limits and policies over the API: they are shown with their origin, raised while a job runs or after it stopped, and
// bounded by ceilings.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { eventually } from '../../support/eventually.ts'
import { operatorKey, TestService } from '../../support/service.ts'
import { Workplace } from '../run-cli.ts'

let site: TestSite
let service: TestService
before(async () => {
  site = await startTestSite()
  service = await TestService.open({
    settings: {
      allowPrivate: [`${site.host}:${site.port}`],
      maxRate: 'unlimited',
      ceilings: { limits: { pages: 8 }, retries: { attempts: 4 } },
    },
  })
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
})

interface Shown {
  status: string
  reason: string | null
}
const urls = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${site.url}/about?${name}=${index}`)
const fast = { host: { rate: 'unlimited' } }
const stopped = (jobId: string, key?: string) =>
  eventually(`${jobId} to stop`, async () => {
    const { body } = await service.ask<Shown>(`/jobs/${jobId}`, key ? { key } : {})
    return body.status === 'paused'
  })

test('a job stops at its limit, shows what it has spent, and continues after the limit is raised', async () => {
  const policy = { ...fast, limits: { pages: 3 } }
  await service.submit({ job_id: 'b', urls: urls('b', 6), policy })
  await stopped('b')
  const shown = await service.ask<Shown>('/jobs/b')
  assert.equal(shown.body.reason, 'limit.pages')
  const again = await service.ask('/jobs/b/resume', { method: 'POST' })
  assert.equal(again.status, 409, again.text)

  const { body } = await service.ask<{
    values: Array<{ path: string; value: unknown; from: string }>
    spent: { pages: number }
  }>('/jobs/b/policy')
  assert.equal(body.spent.pages, 3)
  const from = (path: string) => body.values.find(value => value.path === path)?.from
  assert.deepEqual(
    [from('limits.pages'), from('host.rate'), from('retries.base_ms')],
    ['job', 'job', 'default'],
  )

  const raised = await service.ask<Shown>('/jobs/b/raise', { body: { pages: 7 } })
  assert.equal(raised.status, 200, raised.text)
  assert.equal((await service.ended('b')).status, 'completed')
})

test('a raised limit applies whether the job has stopped or still runs', async () => {
  const policy = { host: { rate: 20, concurrency: 1 }, limits: { pages: 2 } }
  await service.submit({ job_id: 'run', urls: urls('run', 8), policy })
  const raised = await service.ask<Shown>('/jobs/run/raise', { body: { pages: 5 } })
  assert.equal(raised.status, 200, raised.text)
  const pages = async () => (await service.ask<{ counts: { pages: number } }>('/jobs/run')).body.counts.pages
  await eventually('five pages', async () => (await pages()) === 5)
  await stopped('run')
  assert.equal(await pages(), 5)
})

test('the operator’s ceilings apply to every key without the scope admin, both to new jobs and to raised limits', async () => {
  const key = await service.key({ scopes: ['read', 'submit'] })
  const greedy = { urls: urls('g', 10), policy: { ...fast, limits: { pages: 10 } } }
  const refused = await service.ask<{ error: { code: string; message: string } }>('/jobs', {
    body: greedy,
    key,
  })
  assert.equal(refused.status, 403)
  assert.match(refused.text, /policy\.limits\.pages: 10 exceeds .* ceiling of 8/)

  await service.submit({ ...greedy, job_id: 'g', policy: fast }, { key })
  await stopped('g', key)
  const more = await service.ask('/jobs/g/raise', { body: { pages: 10 }, key })
  assert.equal(more.status, 403, more.text)
  const lifted = await service.ask('/jobs/g/raise', { body: { pages: null }, key })
  assert.equal(lifted.status, 403, 'a raise cannot exceed a ceiling')
  const allowed = await service.ask('/jobs/g/raise', { body: { pages: 10 } })
  assert.equal(allowed.status, 200, allowed.text)
  assert.equal((await service.ended('g', { key })).status, 'completed')
})

test('a request to raise limits is refused if it names no limit, an unknown job, or a job of another workspace', async () => {
  assert.equal((await service.ask('/jobs/none/raise', { body: { pages: 1 } })).status, 404)
  const stranger = await service.key({ workspace: 'other', scopes: ['read', 'submit'] })
  assert.equal((await service.ask('/jobs/b/raise', { body: { pages: 9 }, key: stranger })).status, 404)
  assert.equal((await service.ask('/jobs/b/raise', { body: {} })).status, 422)
  const ended = await service.ask('/jobs/b/raise', { body: { pages: 9 } })
  assert.equal(ended.status, 409, ended.text)
})

test('a command that follows a job ends when the job stops at its limit', async () => {
  await using place = await Workplace.open()
  await writeFile(place.file('urls.txt'), urls('t', 5).join('\n'))
  const flags = ['--server', service.url, '--api-key', operatorKey, '--rate', 'unlimited']
  const run = await place.run(['run', 'urls.txt', ...flags, '--limit', 'pages=2', '-o', 'out.jsonl'])
  assert.equal(run.code, 4, run.stderr)
  assert.match(run.stderr, /\(limit\.pages\)/)
  assert.equal((await place.records('out.jsonl')).length, 2)
})
