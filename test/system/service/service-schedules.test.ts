// Tests the schedules API of a running service: create, check, run and compare schedules. Other workspaces do not see them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { found } from '../../support/eventually.ts'
import { operatorKey, TestService } from '../../support/service.ts'
import { Workplace } from '../run-cli.ts'

interface Schedule {
  schedule_id: string
  next_runs: string[]
  next_at: string | null
  job: Record<string, unknown>
  paused: boolean
}

interface Run {
  outcome: string
  job_id: string
  tick: string
  reason: string | null
  job: Record<string, unknown> | null
}

interface Comparison {
  counts: Record<string, number>
  items: Array<{
    difference: string
    url: string
    before: { data: object } | null
    after: { data: object } | null
  }>
  next_cursor: string | null
}

interface Problem {
  error: { code: string; message: string; field?: string }
}

const vectors = JSON.parse(
  readFileSync(new URL('../../vectors/bad-inputs/cron.json', import.meta.url), 'utf8'),
) as { invalid: string[] }

/** The arguments that the CronJob in `deploy/kubernetes` uses. */
function cronJobArgs(): string[] {
  const file = new URL('../../../deploy/kubernetes/base/api/submit-seeds.yaml', import.meta.url)
  const { spec } = parseAllDocuments(readFileSync(file, 'utf8'))[0]!.toJS()
  return spec.jobTemplate.spec.template.spec.containers[0].args
}

describe('the schedules API', () => {
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

  const fast = { policy: { host: { rate: 'unlimited' }, retries: { attempts: 0 } } }
  const body = (change: Record<string, unknown> = {}) => ({
    ...{ name: 'nightly', cron: '30 2 * * *', time_zone: 'Europe/Berlin' },
    job: { urls: [`${site.url}/about`, `${site.url}/jobs`], ...fast },
    ...change,
  })
  const create = <Body = Schedule>(change: Record<string, unknown> = {}, key?: string) =>
    service.ask<Body>('/schedules', { body: body(change), ...(key && { key }) })
  const runsOf = async (id: string) => (await service.ask<{ runs: Run[] }>(`/schedules/${id}/runs`)).body.runs
  const started = (id: string): Promise<Run> =>
    found(`a run of ${id}`, async () => (await runsOf(id)).find(({ outcome }) => outcome === 'started'))

  test('each tick has one run, however often an external clock requests the run', async () => {
    await create({ schedule_id: 'from-outside', cron: '0 0 1 1 *', overlap: 'allow' })
    const ask = () => service.ask<Run>('/schedules/from-outside/run?tick=latest', { method: 'POST' })
    const answers = await Promise.all([ask(), ask(), ask()])
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [202])
    const [first] = answers
    const ofTick = (await runsOf('from-outside')).filter(({ tick }) => tick === first!.body.tick)
    assert.equal(ofTick.length, 1)
    assert.deepEqual([first!.body.outcome, first!.body.job_id], ['started', ofTick[0]!.job_id])
    await service.ask('/schedules/from-outside', { method: 'DELETE' })
  })

  test('if the previous run has not ended, a tick that an external clock requests has one run, and this run is skipped', async () => {
    const path = '/schedules/overlapping'
    const job = { ...body().job, policy: { host: { rate: 0.001 } } }
    await create({ schedule_id: 'overlapping', cron: '* * * * * *', paused: true, overlap: 'skip', job })
    const previous = await service.ask<Run>(`${path}/run`, { method: 'POST' })
    assert.equal(previous.status, 202, previous.text)
    const ask = () => service.ask<Run>(`${path}/run?tick=latest`, { method: 'POST' })
    const skipped = await found('a tick after the run', async () => {
      const { body } = await ask()
      return body.outcome === 'skipped' ? body : undefined
    })
    assert.match(skipped.reason!, new RegExp(`job ${previous.body.job_id} .* is (pending|running)`))
    const ofTick = (await runsOf('overlapping')).filter(({ tick }) => tick === skipped.tick)
    assert.deepEqual(
      ofTick.map(({ outcome }) => outcome),
      ['skipped'],
    )
    await service.ask(path, { method: 'DELETE' })
    await service.ask(`/jobs/${previous.body.job_id}/cancel`, { method: 'POST' })
  })

  test('if the CronJob of the manifests runs twice, it creates one job', async () => {
    await create({ schedule_id: 'periodic-seeds', cron: '0 0 1 1 *', overlap: 'allow' })
    await using place = await Workplace.open()
    const args = cronJobArgs().map(word => (word === 'http://api' ? service.url : word))
    for (const _ of [1, 2]) {
      const { code, stderr } = await place.run(args, { env: { SCRAPER_API_KEY: operatorKey } })
      assert.equal(code, 0, stderr)
    }
    assert.equal((await runsOf('periodic-seeds')).length, 1)
    await service.ask('/schedules/periodic-seeds', { method: 'DELETE' })
  })

  test('a schedule is returned with its next five runs, shown as its caller wrote it, changed and deleted', async () => {
    const made = await create({ schedule_id: 'first' })
    assert.equal(made.status, 201)
    assert.equal(made.headers.get('location'), `${service.url}/schedules/first`)
    assert.equal(made.body.next_runs.length, 5)
    assert.ok(made.body.next_runs.every(run => /T0[23]:[03]0:00\+0[12]:00$/.test(run)))
    assert.deepEqual(made.body.job, body().job)
    assert.equal((await create({ schedule_id: 'first' })).status, 409)

    const changed = await service.ask<Schedule>('/schedules/first', {
      method: 'PATCH',
      body: { cron: '0 * * * *', time_zone: 'UTC' },
    })
    assert.ok(changed.body.next_runs.every(run => run.endsWith(':00:00+00:00')))
    const paused = await service.ask<Schedule>('/schedules/first/pause', { method: 'POST' })
    assert.deepEqual([paused.body.paused, paused.body.next_at], [true, null])
    const resumed = await service.ask<Schedule>('/schedules/first/resume', { method: 'POST' })
    assert.equal(resumed.body.next_at?.slice(0, 19), resumed.body.next_runs[0]?.slice(0, 19))
    const list = await service.ask<{ schedules: Schedule[] }>('/schedules')
    assert.deepEqual(
      list.body.schedules.map(schedule => schedule.schedule_id),
      ['first'],
    )
    assert.equal((await service.ask('/schedules/first', { method: 'DELETE' })).status, 200)
    assert.equal((await service.ask('/schedules/first')).status, 404)
  })

  for (const cron of vectors.invalid)
    test(`the cron expression ${JSON.stringify(cron)} is refused`, async () => {
      const { status, body: problem } = await create<Problem>({ cron })
      assert.deepEqual([status, problem.error.field], [422, 'cron'])
      assert.match(problem.error.message, /cron: /)
    })

  const wrong: Array<[Record<string, unknown>, string, string]> = [
    [{ time_zone: 'Mars/Phobos' }, 'time_zone', 'input.invalid'],
    [{ job: { urls: ['http://10.0.0.1/'] } }, 'job.urls[0]', 'address.refused'],
    [{ job: { urls: ['https://example.com/'], max_page: 3 } }, 'job.max_page', 'input.invalid'],
    [{ job: { urls: ['https://example.com/'], job_id: 'mine' } }, 'job.job_id', 'input.invalid'],
    [{ job: {} }, 'job.urls', 'input.invalid'],
    [{ job: { urls: ['https://example.com/'], scraper_id: 'none' } }, 'job.scraper_id', 'scraper.unknown'],
    [
      { job: { urls: ['https://example.com/'], webhook_url: 'file:///etc/passwd' } },
      'job.webhook_url',
      'input.invalid',
    ],
    [
      { job: { urls: ['https://example.com/'], webhook_url: 'http://127.0.0.1:1/' } },
      'job.webhook_url',
      'address.refused',
    ],
    [{ overlap: 'perhaps' }, 'overlap', 'input.invalid'],
    [{ jitter_s: -1 }, 'jitter_s', 'input.invalid'],
    [{ crown: '* * * * *' }, 'crown', 'input.invalid'],
  ]
  for (const [change, field, code] of wrong)
    test(`the error for an invalid schedule names the field: ${field} (${JSON.stringify(change).slice(0, 80)})`, async () => {
      const { status, body: problem } = await create<Problem>(change)
      assert.ok(status >= 400 && status < 500, String(status))
      assert.deepEqual([problem.error.code, problem.error.field], [code, field])
    })

  test('a schedule for every second starts its runs by itself, and each run is a separate job', async () => {
    const { body: made } = await create({ cron: '* * * * * *', time_zone: 'UTC' })
    const { job_id: jobId } = await started(made.schedule_id)
    const status = await service.ended(jobId)
    assert.deepEqual(
      [status.status, status.face, status.schedule_id],
      ['completed', 'schedule', made.schedule_id],
    )
    await service.ask(`/schedules/${made.schedule_id}`, { method: 'DELETE' })
  })

  test('until its job is deleted, a run shows how the job ended, with counts', async () => {
    const urls = [`${site.url}/about`, `${site.url}/status/404`]
    const { body: made } = await create({ job: { urls, ...fast } })
    const path = `/schedules/${made.schedule_id}`
    const { body: run } = await service.ask<Run>(`${path}/run`, { method: 'POST' })
    await service.ended(run.job_id)
    const [ended] = await runsOf(made.schedule_id)
    const counts = { tasks: 2, succeeded: 1, failed: 1, skipped: 0, records: 1 }
    assert.deepEqual(ended?.job, { status: 'partially_completed', ...counts })
    await service.ask(`/jobs/${run.job_id}`, { method: 'DELETE' })
    const [left] = await runsOf(made.schedule_id)
    assert.deepEqual([left?.outcome, left?.job], ['started', null])
  })

  test('a comparison of two runs lists changed, new and missing records, page by page', async () => {
    const { body: made } = await create()
    const path = `/schedules/${made.schedule_id}`
    const run = async () => {
      const { status, body: entered } = await service.ask<Run>(`${path}/run`, { method: 'POST' })
      assert.equal(status, 202)
      await service.ended(entered.job_id)
      return entered.job_id
    }
    await run()
    assert.equal((await service.ask(`${path}/compare`)).status, 409)
    const urls = [`${site.url}/about`, `${site.url}/`, `${site.url}/contact`]
    await service.ask(path, { method: 'PATCH', body: { job: { urls, ...fast } } })
    const second = await run()

    const { body: compared } = await service.ask<Comparison>(`${path}/compare?limit=2`)
    assert.deepEqual(compared.counts, { new: 2, changed: 0, unchanged: 1, gone: 1 })
    assert.deepEqual(
      compared.items.map(item => item.difference),
      ['new', 'new'],
    )
    const next = await service.ask<Comparison>(`${path}/compare?limit=2&cursor=${compared.next_cursor}`)
    assert.deepEqual(
      next.body.items.map(({ difference, url }) => [difference, url]),
      [['gone', `${site.url}/jobs`]],
    )
    assert.equal(next.body.next_cursor, null)
    const self = await service.ask<Comparison>(
      `${path}/compare?from=${second}&to=${second}&difference=unchanged`,
    )
    assert.equal(self.body.items.length, 3)
    assert.equal((await service.ask(`${path}/compare?from=nobody`)).status, 404)
    assert.equal((await service.ask(`${path}/compare?cursor=bad`)).status, 422)
  })

  test('keys of another workspace do not see the schedule, and no response shows a header that may be secret', async () => {
    const job = { urls: [`${site.url}/about`], headers: { Authorization: 'Basic c2VjcmV0' } }
    const { body: made } = await create({ job })
    const other = await service.key({ workspace: 'other' })
    const path = `/schedules/${made.schedule_id}`
    for (const [method, at] of [
      ['GET', path],
      ['PATCH', path],
      ['DELETE', path],
      ['POST', `${path}/run`],
      ['GET', `${path}/runs`],
      ['GET', `${path}/compare`],
    ] as const)
      assert.equal(
        (await service.ask(at, { method, key: other, ...(method === 'PATCH' && { body: { paused: true } }) }))
          .status,
        404,
      )
    const reader = await service.key({ scopes: ['read'] })
    assert.equal((await service.ask(path, { key: reader })).text.includes('c2VjcmV0'), false)
    assert.equal((await service.ask(`${path}/run`, { method: 'POST', key: reader })).status, 403)
    assert.equal((await service.ask(path)).text.includes('c2VjcmV0'), false)
  })

  test('if the key of a schedule is revoked, no more runs start, and the schedule shows the reason', async () => {
    const { body: made } = await service.ask<{ key: string; key_id: string }>('/keys', { body: {} })
    const { body: schedule } = await create({ paused: true, job: { urls: [`${site.url}/about`] } }, made.key)
    await service.ask(`/keys/${made.key_id}`, { method: 'DELETE' })
    const ran = await service.ask<Problem>(`/schedules/${schedule.schedule_id}/run`, { method: 'POST' })
    assert.equal(ran.status, 403)
    assert.match(ran.body.error.message, /which was revoked; PATCH its job/)
  })
})
