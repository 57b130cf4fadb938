// Tests the scrape API of a running service: synchronous calls, full queues, failing hosts, batches of several types, and other
// workspaces.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as z from 'zod'
import { errorNameOf, failureCodeOf } from '../../../src/model/error-names.ts'
import { Failure, type FailureCode } from '../../../src/model/failures.ts'
import { defineScraper } from '../../../src/scraper/define-scraper.ts'
import { eventually } from '../../support/eventually.ts'
import { ScrapeApi, type ShownTask } from '../../support/scrape-api.ts'

const failing = defineScraper({
  id: 'failing',
  input: z.object({ url: z.string(), code: z.string() }),
  output: z.object({}),
  run({ input }) {
    throw new Failure(input.code as FailureCode, `${input.url} can't be had`)
  },
})
const heading = defineScraper({ id: 'heading', rules: { fields: { heading: 'h1' } } })
const shouting = defineScraper({
  id: 'shouting',
  input: z.strictObject({ url: z.string(), mark: z.string().default('!') }),
  output: z.object({ text: z.string().nullable() }),
  async run({ input, open, emit }) {
    const page = await open()
    emit({ text: `${page.text('h1')}${input.mark}` })
    emit({ text: 'and again' })
  },
})

describe('the scrape API', () => {
  let api: ScrapeApi
  before(async () => {
    api = await ScrapeApi.open({ scrapers: [failing, heading, shouting] })
    api.site.serve('/hello', '<title>Hello</title><h1>Hello there</h1>')
  })
  after(() => api?.[Symbol.asyncDispose]())
  const hello = () => ({ url: `${api.site.url}/hello`, target_type: 'heading' })

  test('a synchronous scrape returns its record, and the result can be read later', async () => {
    const { status, body } = await api.ask<ShownTask>('/sync', { body: { ...hello(), timeout_s: 20 } })
    assert.equal(status, 200)
    assert.deepEqual([body.data.status, body.data.result], ['completed', { heading: 'Hello there' }])
    assert.deepEqual(await api.task(body.data.task_id), body.data)
  })

  test('the URL is requested exactly as given, with the headers from the options of the request', async () => {
    const body = { ...hello(), url: `${hello().url}?b=2&a=1`, options: { headers: { 'x-asked-by': 'me' } } }
    assert.equal((await api.ask('/sync', { body })).status, 200)
    const asked = api.site.requestsTo('/hello').at(-1)!
    assert.deepEqual([asked.url, asked.headers['x-asked-by']], ['/hello?b=2&a=1', 'me'])
  })

  test('a scraper gets options.input, and further records of the task are returned too', async () => {
    const body = { ...hello(), target_type: 'shouting', options: { input: { mark: '?' } } }
    const { data } = (await api.ask<ShownTask>('/sync', { body })).body
    assert.deepEqual([data.result, data.further_results], [{ text: 'Hello there?' }, [{ text: 'and again' }]])
    const wrong = await api.ask('/sync', { body: { ...body, options: { input: { mark: 1 } } } })
    assert.equal(wrong.status, 422)
    assert.match(wrong.body.error!.message, /options\.input\.mark/)
  })

  test('a scrape that takes too long gets 504 and is cancelled', async () => {
    using _hold = api.site.hold('/hello')
    const { status, body } = await api.ask('/sync', { body: { ...hello(), timeout_s: 1 } })
    assert.deepEqual([status, body.error?.code], [504, 'TaskTimeoutError'])
    const { job_id, task_id } = body.error!.details as { job_id: string; task_id: string }
    await api.service.ended(job_id)
    // The request of the page has the same timeout. If it fails first, no task is left to cancel.
    const ends = [(await api.job(job_id)).status, (await api.task(task_id)).status]
    assert.ok(ends.every(end => end === 'cancelled') || ends.every(end => end === 'failed'), ends.join())
  })

  for (const code of ['pool.exhausted', 'proxy.none-healthy', 'host.not-now'] as const)
    test(`a caller whose task must wait for a long time (${code}) gets an error at once, with the time to retry`, async () => {
      const body = { url: api.site.url, target_type: 'failing', options: { input: { code } } }
      const answer = await api.ask('/sync', { body })
      assert.deepEqual([answer.status, answer.body.error?.code], [503, errorNameOf(code)])
      assert.ok(Number(answer.headers.get('retry-after')) > 0)
    })

  test('if a credential is missing, the response is 424', async () => {
    const code = failureCodeOf('CredentialNotFoundError')
    const body = { url: api.site.url, target_type: 'failing', options: { input: { code } } }
    const answer = await api.ask('/sync', { body })
    assert.deepEqual([answer.status, answer.body.error?.code], [424, 'CredentialNotFoundError'])
  })

  test('the targets of a batch may have different types: code, rules and raw pages', async () => {
    const url = `${api.site.url}/hello`
    const types = ['shouting', 'heading', 'page', 'shouting']
    const { job_id, task_ids } = await api.batch(types.map(target_type => ({ url, target_type })))
    await api.service.ended(job_id)
    const tasks = await Promise.all(task_ids.map(taskId => api.task(taskId)))
    assert.deepEqual(
      tasks.map(({ target_type }) => target_type),
      types,
    )
    const [shouted, read, whole] = tasks
    assert.deepEqual(shouted!.result, { text: 'Hello there!' })
    assert.deepEqual(read!.result, { heading: 'Hello there' })
    assert.equal(whole!.result?.title, 'Hello')
    assert.equal((await api.job(job_id)).status, 'completed')
  })

  test('options of a batch apply to all targets, and a target with another timeout is refused', async () => {
    const once = { targets: [hello(), hello()], timeout_s: 30, callback_url: 'http://told.example/' }
    const accepted = await api.ask<{ job_id: string }>('/batch', { body: once })
    assert.equal(accepted.status, 202)
    const { spec } = (await api.service.service.engine.data.store.jobs.get(accepted.body.data.job_id))!
    assert.equal(spec.webhookUrl, 'http://told.example/')
    assert.deepEqual([spec.policy.browser.isolation, spec.policy.timeouts.taskMs], ['task', 30_000])
    const differing = { targets: [hello(), { ...hello(), timeout_s: 5 }] }
    const refused = await api.ask('/batch', { body: differing })
    assert.deepEqual([refused.status, refused.body.error?.details.field], [422, 'targets[1].timeout_s'])
  })

  test('a page that robots.txt disallows counts as failed, with the reason', async () => {
    const body = { url: `${api.site.url}/private/ledger`, target_type: 'page' }
    const answer = await api.ask('/sync', { body })
    assert.deepEqual([answer.status, answer.body.error?.code], [403, 'RobotsDisallowedError'])
    const { task_id, job_id } = answer.body.error!.details as { task_id: string; job_id: string }
    assert.equal((await api.task(task_id)).status, 'failed')
    await api.service.ended(job_id)
    assert.equal((await api.job(job_id)).status, 'failed')
  })

  test('two equal requests with one idempotency key create one job', async () => {
    const headers = { 'idempotency-key': 'scrape-once' }
    const first = await api.ask('', { body: hello(), headers })
    const again = await api.ask('', { body: hello(), headers })
    assert.deepEqual(again.body.data, first.body.data)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    const other = await api.ask('', { body: { ...hello(), timeout_s: 9 }, headers })
    assert.deepEqual([other.status, other.body.error?.code], [422, 'ValidationError'])
  })

  test('scrapes are visible only in their own workspace', async () => {
    const [mine, theirs] = await Promise.all([
      api.service.key({ workspace: 'mine' }),
      api.service.key({ workspace: 'theirs' }),
    ])
    const body = { ...hello(), workspace_id: 'mine' }
    const { data } = (await api.ask<{ task_id: string; job_id: string }>('', { body, key: mine })).body
    assert.equal((await api.ask(`/${data.task_id}`, { key: mine })).status, 200)
    const refused = await api.ask('', { body, key: theirs })
    assert.deepEqual([refused.status, refused.body.error?.details.field], [403, 'workspace_id'])
    const task = await api.ask(`/${data.task_id}`, { key: theirs })
    assert.deepEqual([task.status, task.body.error?.code], [404, 'TaskNotFoundError'])
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/results'],
      ['POST', '/cancel'],
    ] as const) {
      const answer = await api.ask(`/jobs/${data.job_id}${path}`, { method, key: theirs })
      assert.deepEqual([answer.status, answer.body.error?.code], [404, 'JobNotFoundError'], path)
    }
  })

  test('the scrape API does not find jobs of other APIs', async () => {
    const jobId = await api.service.submit({ urls: [hello().url] })
    assert.equal((await api.ask(`/jobs/${jobId}`)).status, 404)
    assert.equal((await api.ask(`/${jobId}.1`)).status, 404)
  })

  test('a job that has ended cannot be cancelled', async () => {
    const { job_id } = await api.scrape(hello())
    await api.service.ended(job_id)
    const { status, body } = await api.ask(`/jobs/${job_id}/cancel`, { method: 'POST' })
    assert.deepEqual([status, body.error?.code], [409, 'JobWrongStateError'])
  })
})

test('above the queue limit scrapes get 429, even if they arrive at the same time', async () => {
  await using api = await ScrapeApi.open({ settings: { queueDepth: 3 } })
  api.site.serve('/held', '<h1>held</h1>')
  using hold = api.site.hold('/held')
  const body = { url: `${api.site.url}/held`, target_type: 'page' }
  const answers = await Promise.all(Array.from({ length: 8 }, () => api.ask<ShownTask>('', { body })))
  const refused = answers.filter(({ status }) => status === 429)
  assert.equal(answers.filter(({ status }) => status === 202).length, 3)
  assert.equal(refused.length, 5)
  for (const { body, headers } of refused) {
    assert.equal(body.error?.code, 'QueueFullError')
    assert.ok(Number(headers.get('retry-after')) > 0)
  }
  assert.equal((await api.ask('/batch', { body: { targets: [body] } })).status, 429)
  hold.release()
  for (const { status, body } of answers) if (status === 202) await api.service.ended(body.data.job_id)
  assert.equal((await api.ask('', { body })).status, 202)
})

test('while the queue is full, a repeated request gets the response of the first one', async () => {
  await using api = await ScrapeApi.open({ settings: { queueDepth: 1 } })
  api.site.serve('/held', '<h1>held</h1>')
  using hold = api.site.hold('/held')
  const body = { url: `${api.site.url}/held`, target_type: 'page' }
  const headers = { 'idempotency-key': 'the-last-place' }
  const first = await api.ask<ShownTask>('', { body, headers })
  assert.equal((await api.ask('', { body })).status, 429)

  const again = await api.ask<ShownTask>('', { body, headers })

  assert.deepEqual([again.status, again.body.data], [202, first.body.data])
  hold.release()
  await api.service.ended(first.body.data.job_id)
})

test('while the breaker of a host is open, a synchronous caller gets an error at once', async () => {
  await using api = await ScrapeApi.open()
  api.site.fail('/ill', 100, 500)
  const ill = { url: `${api.site.url}/ill`, target_type: 'page' }
  const failed = Promise.withResolvers<void>()
  let failures = 0
  api.service.service.engine.listen((name, event) => {
    if (name === 'task.settled' && (event as { reason: string }).reason === 'http.server-error') failures += 1
    if (failures === 5) failed.resolve()
  })
  const { job_id } = await api.batch(Array.from({ length: 6 }, () => ill))
  await failed.promise
  const { store } = api.service.service.engine.data
  const host = new URL(ill.url).host
  await eventually('the breaker to open', async () => (await store.hosts.get(host))?.breaker === 'open')
  const { status, body, headers } = await api.ask('/sync', { body: ill })
  assert.deepEqual([status, body.error?.code], [503, 'CircuitOpenError'])
  assert.ok(Number(headers.get('retry-after')) > 60)
  assert.equal((await api.ask('', { body: ill })).status, 202)
  await api.ask(`/jobs/${job_id}/cancel`, { method: 'POST' })
})
