// Tests routes that show what a service does: previews, the stream of all jobs, timelines, requests of a task, workers and settings.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DemoSite, startDemoSite } from '../../../src/demo-site/index.ts'
import { closedHours } from '../../support/closed-hours.ts'
import { eventually, patienceMs } from '../../support/eventually.ts'
import { operatorKey, TestService } from '../../support/service.ts'

let site: DemoSite
let service: TestService
let stranger: string

before(async () => {
  site = await startDemoSite({ misbehave: true })
  const allowPrivate = [`${site.host}:${site.port}`]
  service = await TestService.open({
    settings: { allowPrivate, rate: 'unlimited', webhookSecret: 'whsec_very-secret-value-of-32-chars!!' },
  })
  stranger = await service.key({ workspace: 'elsewhere', scopes: ['admin'] })
})

after(async () => {
  await service[Symbol.asyncDispose]()
  await site.close()
})

interface Shown {
  preview_id: string
  records: Array<{ data: Record<string, unknown>; provenance: Record<string, { from: string }> }>
  [name: string]: unknown
}

test('a preview shows the page as users and rules see it, and can try other rules without a new request', async () => {
  const url = `${site.url}/products/umber-floor-lamp-1`
  const first = await service.ask<Shown>('/previews', { body: { url, extract: { fields: { name: 'h1' } } } })
  assert.equal(first.status, 200, first.text)
  const { preview_id: id, ...shown } = first.body
  assert.equal(shown.http_status, 200)
  assert.match(String(shown.text), /Umber Floor Lamp 1/)
  assert.match(String(shown.markdown), /# Umber Floor Lamp 1/)
  assert.match(String(shown.html), /<h1>/)
  assert.deepEqual(shown.records[0]?.data, { name: 'Umber Floor Lamp 1' })
  const asked = site.requests.length
  const again = await service.ask<Shown>(`/previews/${id}/extract`, {
    body: { extract: { fields: { made_by: '.brand-name' } } },
  })
  assert.deepEqual(Object.keys(again.body.records[0]!.data), ['made_by'])
  assert.equal(again.body.records[0]!.provenance.made_by?.from, 'css')
  assert.equal(site.requests.length, asked)
  const broken = await service.ask(`/previews/${id}/extract`, {
    body: { extract: { fields: { name: 'h1[' } } },
  })
  assert.equal(broken.status, 422)
})

test('a preview obeys robots.txt, says why a page cannot be fetched, and is visible only to its workspace', async () => {
  const kept = await service.ask<{ error: { code: string } }>('/previews', {
    body: { url: `${site.url}/private/ledger` },
  })
  assert.deepEqual([kept.status, kept.body.error.code], [403, 'robots.disallowed'])
  const { body } = await service.ask<Shown>('/previews', { body: { url: `${site.url}/about` } })
  const theirs = await service.ask(`/previews/${body.preview_id}/extract`, { body: {}, key: stranger })
  assert.equal(theirs.status, 404)
  const reader = await service.key({ scopes: ['read'] })
  assert.equal((await service.ask('/previews', { body: { url: site.url }, key: reader })).status, 403)
})

/** Starts to listen at once. The returned function reads until the text matches, or until its time limit. */
async function listening(path: string, key = operatorKey): Promise<(enough: RegExp) => Promise<string>> {
  const leaving = AbortSignal.timeout(patienceMs)
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${service.url}${path}`, { headers, signal: leaving })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  return async enough => {
    let text = ''
    while (!enough.test(text)) text += (await reader.read()).value ?? ''
    await reader.cancel()
    return text
  }
}

/** A job that is still running when the test checks it, even on a busy machine. */
const aWhile = () => ({ urls: [`${site.url}/about`, `${site.url}/jobs`], policy: { host: { rate: 4 } } })

test('the stream of all jobs reports start, progress and deletion of each job of its workspace, and of no other', async () => {
  const here = await listening('/events')
  const elsewhere = await listening('/events', stranger)
  await service.submit({ job_id: 'of-ours', ...aWhile(), labels: { team: 'a' } })
  await service.ended('of-ours')
  await service.submit({ job_id: 'of-theirs', urls: [`${site.url}/jobs`] }, { key: stranger })
  await service.ended('of-theirs', { key: stranger })
  await service.ask('/jobs/of-ours', { method: 'DELETE' })
  const ours = await here(/event: deleted\ndata: .*\n/)
  const theirs = await elsewhere(/"job_id":"of-theirs"/)
  assert.match(ours, /event: job\ndata: \{"job_id":"of-ours","status":"running"/)
  assert.match(ours, /"status":"completed".*"counts":.*"live":\{"source":/)
  assert.match(ours, /event: deleted\ndata: \{"job_id":"of-ours"\}/)
  assert.ok(!ours.includes('of-theirs') && !theirs.includes('of-ours'))
})

test('the stream of all jobs reports the final state of a job, however long an earlier read of the job takes', async () => {
  const { engine } = service.service
  const { promise: ended, resolve: release } = Promise.withResolvers<void>()
  const progress = engine.progress.bind(engine)
  let looks = 0
  engine.progress = async jobId => {
    const isFirst = ++looks === 1
    const seen = await progress(jobId)
    if (isFirst) await ended
    return seen
  }
  const here = await listening('/events')
  const jobId = await service.submit(aWhile())
  await eventually('the first look', () => looks > 0)
  await eventually('the end', async () => (await engine.data.store.jobs.get(jobId))?.state === 'completed')
  release()
  await service.ask(`/jobs/${jobId}`, { method: 'DELETE' })
  const told = await here(/event: deleted\ndata: .*\n/)
  engine.progress = progress
  assert.equal([...told.matchAll(/"status":"(\w+)"/g)].at(-1)?.[1], 'completed')
})

test('the events of a job end with the job, even if the end message was lost', async () => {
  const { engine } = service.service
  const jobId = await service.submit(aWhile())
  const { listen } = engine
  engine.listen = () => () => {}
  const told = service.ask(`/jobs/${jobId}/events`)
  await eventually('the end', async () => (await engine.data.store.jobs.get(jobId))?.state === 'completed')
  assert.match((await told).text, /"status":"completed"/)
  engine.listen = listen
})

test('jobs are found by a word and listed with their state, and their timeline counts attempts by outcome', async () => {
  const urls = ['/about', '/status/404', '/jobs'].map(path => site.url + path)
  await service.submit({
    job_id: 'watched-one',
    urls,
    headers: { authorization: 'Bearer s3cret', 'accept-language': 'de' },
  })
  await service.ended('watched-one')
  const { body } = await service.ask<{ jobs: Array<Record<string, unknown>> }>('/jobs?text=WATCHED&live=true')
  assert.deepEqual(
    body.jobs.map(({ job_id, live }) => [job_id, (live as { source: { count: number } }).source.count]),
    [['watched-one', 3]],
  )
  const { body: line } = await service.ask<{
    tasks: number
    steps: Array<{ by_reason: Record<string, number> }>
  }>('/jobs/watched-one/timeline')
  const sum = (reason: string) => line.steps.reduce((all, { by_reason }) => all + (by_reason[reason] ?? 0), 0)
  assert.deepEqual([line.tasks, sum('ok'), sum('http.not-found')], [3, 2, 1])
  const found = await service.ask<{ items: Array<{ url: string }>; next_cursor: string | null }>(
    '/jobs/watched-one/items?reason=http.not-found',
  )
  assert.deepEqual(
    found.body.items.map(({ url }) => url),
    [`${site.url}/status/404`],
  )
  const none = await service.ask<{ items: unknown[] }>('/jobs/watched-one/items?text=nowhere')
  assert.deepEqual(none.body.items, [])
})

test('the details of a task show the headers of its requests and responses, without secrets', async () => {
  const { body, text } = await service.ask<{
    exchanges: Array<{
      http_status: number
      request_headers: Array<{ name: string; value: string }>
      response_headers: Array<{ name: string }>
    }>
  }>('/jobs/watched-one/items/task-1/exchange')
  const [exchange] = body.exchanges
  assert.equal(exchange?.http_status, 200)
  assert.ok(exchange.response_headers.some(({ name }) => name === 'content-type'))
  const sent = new Map(exchange.request_headers.map(({ name, value }) => [name, value]))
  assert.deepEqual(
    [sent.get('accept-language'), sent.get('accept-encoding')],
    ['de', 'gzip, deflate, br, zstd'],
  )
  assert.match(sent.get('user-agent') ?? '', /^kscrape\//)
  assert.ok(!text.includes('s3cret'))
  assert.equal((await service.ask('/jobs/watched-one/items/task-1/exchange', { key: stranger })).status, 404)
})

test('an attempt has the times when it was queued, answered, parsed and committed', async () => {
  interface Shown {
    history: Array<Record<'queued_at' | 'started_at' | 'ended_at' | 'read_at' | 'stored_at', string>>
  }
  const { body: job } = await service.ask<{ created_at: string }>('/jobs/watched-one')
  const { history } = (await service.ask<Shown>('/jobs/watched-one/items/task-1')).body
  const [first] = history
  const times = [first?.queued_at, first?.started_at, first?.ended_at, first?.read_at, first?.stored_at]
  assert.equal(first?.queued_at, job.created_at)
  assert.deepEqual(times, times.toSorted())
})

test('a key can see its own scopes, and only operators see workers and settings, without secrets', async () => {
  const key = await service.key({ name: 'a', scopes: ['read'], workspace: 'team' })
  const { body: me } = await service.ask<{ workspace: string; scopes: string[] }>('/me', { key })
  assert.deepEqual([me.workspace, me.scopes], ['team', ['read']])
  for (const path of ['/workers', '/settings']) {
    assert.equal((await service.ask(path, { key })).status, 403, path)
    assert.equal((await service.ask(path, { key: stranger })).status, 403, path)
  }
  const { body: fleet } = await service.ask<{ workers: Array<{ role: string; memory_bytes: number }> }>(
    '/workers',
  )
  assert.equal(fleet.workers[0]?.role, 'all-in-one')
  assert.ok(fleet.workers[0].memory_bytes > 1_000_000)
  const { text } = await service.ask('/settings')
  assert.match(
    text,
    /"name":"webhook_secret","env":"SCRAPER_WEBHOOK_SECRET","about":"[^"]*","value":"REDACTED"/,
  )
  assert.ok(!text.includes('very-secret-value') && !text.includes('the-key-of-these-tests'))
})

test('metrics show why tasks wait, and that no task is due', async () => {
  const figures = async () => {
    const { text } = await service.ask('/metrics')
    const waiting = [...text.matchAll(/^kscrape_tasks_waiting\{reason="([\w-]+)"\} ([1-9]\d*)$/gm)]
    return {
      due: Number(/^kscrape_tasks_due (\d+)$/m.exec(text)?.[1]),
      waiting: Object.fromEntries(waiting.map(([, reason, tasks]) => [reason, Number(tasks)])),
      retry: Number(/^kscrape_next_retry_seconds (\S+)$/m.exec(text)?.[1]),
    }
  }
  const urls = [1, 2, 3].map(n => `${site.url}/?waits=${n}`)
  const hours = closedHours()
  await service.submit({ job_id: 'at-night', urls, policy: { hours } })
  await service.submit({ job_id: 'put-down', urls, policy: { hours } })
  await service.ask('/jobs/put-down/pause', { method: 'POST' })
  await service.submit({
    job_id: 'again-later',
    urls: [`${site.url}/status/503?later`],
    policy: { retries: { attempts: 3, base_ms: 3_600_000, cap_ms: 3_600_000 } },
  })
  await eventually('all tasks to wait', async () => {
    const { retry, waiting, due } = await figures()
    return retry > 0 && waiting['job-paused'] === 3 && waiting['job-hours'] === 3 && due === 0
  })
  const { retry, ...rest } = await figures()
  assert.ok(retry > 1_000 && retry <= 3_600, String(retry))
  assert.deepEqual(rest, { due: 0, waiting: { 'job-hours': 3, 'job-paused': 3 } })
})
