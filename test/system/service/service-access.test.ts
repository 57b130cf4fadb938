// Tests access to a running service: which key may do what, and how requests are refused.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { patienceMs } from '../../support/eventually.ts'
import { TestService } from '../../support/service.ts'

interface Refusal {
  error: { code: string; message: string; field?: string; request_id: string }
}

describe('access to the service', () => {
  let service: TestService
  before(async () => {
    service = await TestService.open({ settings: { bodyTimeoutMs: 300 } })
  })
  after(() => service?.[Symbol.asyncDispose]())

  test('every response has its own request id, and the caller’s id if it is valid', async () => {
    const ids = await Promise.all(
      ['/healthz', '/jobs', '/nowhere', '/openapi.json'].map(async path =>
        (await service.ask(path)).headers.get('x-request-id'),
      ),
    )
    for (const id of ids)
      assert.match(id ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(new Set(ids).size, ids.length)
    const given = await service.ask('/healthz', { headers: { 'x-request-id': 'mine-1' } })
    assert.notEqual(given.headers.get('x-request-id'), 'mine-1')
    assert.equal(given.headers.get('x-client-request-id'), 'mine-1')
    const odd = await service.ask('/healthz', { headers: { 'x-request-id': 'a b"<script>' } })
    assert.equal(odd.headers.get('x-client-request-id'), null)
  })

  test('health, readiness, docs and the description of the API are public, and all other routes need a key', async () => {
    for (const path of ['/healthz', '/health', '/readiness', '/openapi.json', '/docs/', '/docs/js/scalar.js'])
      assert.equal((await service.ask(path, { key: null })).status, 200, path)
    for (const path of ['/jobs', '/keys', '/metrics', '/jobs/x/status'])
      assert.equal((await service.ask<Refusal>(path, { key: null })).status, 401, path)
    const { body, status } = await service.ask<Refusal>('/jobs', { key: 'ks_wrong' })
    assert.equal(status, 401)
    assert.equal(body.error.code, 'request.unauthorized')
    assert.ok(body.error.request_id)
  })

  test('a key is accepted in any of the headers for keys', async () => {
    const key = await service.key({ scopes: ['read'] })
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { 'x-api-key': key },
      { 'x-service-key': key },
    ])
      assert.equal(
        (await service.ask('/jobs', { key: null, headers: headers as Record<string, string> })).status,
        200,
      )
    const basic = { authorization: 'Basic YWRtaW46YWRtaW4=' }
    assert.equal((await service.ask('/jobs', { key: null, headers: basic })).status, 401)
  })

  test('a key may use only its scopes, and is invalid after it is revoked', async () => {
    const made = await service.ask<{ key: string; key_id: string }>('/keys', { body: { scopes: ['read'] } })
    assert.equal(made.status, 201)
    const { key, key_id } = made.body
    assert.equal((await service.ask('/jobs', { key })).status, 200)
    assert.equal((await service.ask('/jobs', { key, body: { urls: ['https://a.example/'] } })).status, 403)
    assert.equal((await service.ask('/keys', { key })).status, 403)
    const listed = await service.ask('/keys')
    assert.ok(!listed.text.includes(key), 'a key is shown once')
    assert.equal((await service.ask(`/keys/${key_id}`, { method: 'DELETE' })).status, 200)
    assert.equal((await service.ask('/jobs', { key })).status, 401)
  })

  test('an id that one workspace uses neither blocks nor reveals anything to another workspace', async () => {
    const keys = await Promise.all(
      ['first', 'second'].map(workspace => service.key({ workspace, scopes: ['admin'] })),
    )
    const body = { job_id: 'nightly.1', urls: ['http://a.example/'] }
    for (const key of [...keys, undefined]) {
      const ask = key === undefined ? {} : { key }
      const made = await service.ask<Record<string, unknown>>('/jobs', { ...ask, body })
      assert.deepEqual([made.status, made.body.job_id], [202, 'nightly.1'], made.text)
      assert.match(made.headers.get('location') ?? '', /\/jobs\/nightly\.1$/)
      await service.ask('/jobs/nightly.1/cancel', { ...ask, method: 'POST' })
      const again = await service.ask<Refusal>('/jobs', { ...ask, body })
      assert.deepEqual([again.status, again.body.error.field], [409, 'job_id'])
      const cancelled = await service.ask('/jobs/nightly.1/pause', { ...ask, method: 'POST' })
      assert.equal(cancelled.status, 409)
      for (const text of [made.text, again.text, cancelled.text, (await service.ask('/jobs', ask)).text])
        assert.doesNotMatch(text, /~/)
    }
    for (const key of keys) {
      const items = await service.ask<{ items: Array<{ task_id: string }> }>('/jobs/nightly.1/items', { key })
      assert.deepEqual(
        items.body.items.map(item => item.task_id),
        ['nightly.1.1'],
      )
      assert.equal((await service.ask('/jobs/nightly.1/items/nightly.1.1', { key })).status, 200)
      assert.equal((await service.ask('/jobs/nightly.1', { key, method: 'DELETE' })).status, 200)
      assert.equal((await service.ask('/jobs/nightly.1', { key })).status, 404)
    }
    assert.equal(
      (await service.ask('/jobs/nightly.1')).status,
      200,
      'the job of the operator is another one and still exists',
    )
  })

  test('two workspaces may use the same schedule name', async () => {
    const keys = await Promise.all(
      ['first', 'second'].map(workspace => service.key({ workspace, scopes: ['admin'] })),
    )
    const body = {
      schedule_id: 'weekly',
      name: 'Weekly',
      cron: '0 3 * * 0',
      time_zone: 'UTC',
      job: { urls: ['http://a.example/'] },
    }
    for (const key of keys) {
      const made = await service.ask('/schedules', { key, body })
      assert.equal(made.status, 201, made.text)
      assert.equal((await service.ask('/schedules', { key, body })).status, 409)
      const paused = await service.ask<{ schedule_id: string }>('/schedules/weekly/pause', {
        key,
        method: 'POST',
      })
      assert.equal(paused.body.schedule_id, 'weekly')
      assert.doesNotMatch(made.text + paused.text, /~/)
    }
    assert.equal((await service.ask('/schedules/weekly')).status, 404)
  })

  test('keys of one workspace never see the jobs of another', async () => {
    const [mine, theirs] = await Promise.all([
      service.key({ workspace: 'mine' }),
      service.key({ workspace: 'theirs', scopes: ['admin'] }),
    ])
    const jobId = await service.submit({ urls: ['http://a.example/'] }, { key: mine })
    for (const path of ['', '/status', '/results', '/items', '/events', '/items/task-1'])
      assert.equal((await service.ask(`/jobs/${jobId}${path}`, { key: theirs })).status, 404, path)
    for (const kind of ['pause', 'resume', 'cancel', 'retry'])
      assert.equal(
        (await service.ask(`/jobs/${jobId}/${kind}`, { key: theirs, method: 'POST' })).status,
        404,
        kind,
      )
    assert.equal((await service.ask(`/jobs/${jobId}`, { key: theirs, method: 'DELETE' })).status, 404)
    const { body } = await service.ask<{ jobs: unknown[] }>('/jobs', { key: theirs })
    assert.deepEqual(body.jobs, [])
    const forOthers = await service.ask('/keys', { key: theirs, body: { workspace: 'mine' } })
    assert.equal(forOthers.status, 403)
  })

  test('no route shows a workspace data of another workspace, whatever scopes its keys have', async () => {
    const mine = await service.key({ workspace: 'own', scopes: ['admin'] })
    const theirs = await service.key({ workspace: 'other', scopes: ['admin'] })
    const make = async (path: string, body: unknown) =>
      (await service.ask<Record<string, string>>(path, { key: mine, body })).body
    const { job_id } = await make('/jobs', { urls: ['http://a.example/'] })
    const { upload_id } = await make('/uploads', { file_name: 'rows.csv' })
    const { job_id: fetch_id } = await make('/fetch/start', { links: ['http://a.example/'] })
    const timing = { cron: '0 4 * * *', time_zone: 'UTC', job: { urls: ['http://a.example/'] } }
    const { schedule_id } = await make('/schedules', { name: 'nightly', ...timing })
    const asTheirs = async (path: string, method = 'GET') => service.ask(path, { key: theirs, method })

    const details = [`/jobs/${job_id}/conduct`, `/jobs/${job_id}/export`, `/jobs/${job_id}/rejected`]
    const others = [`/uploads/${upload_id}`, `/fetch/status/${fetch_id}`, `/schedules/${schedule_id}/runs`]
    for (const path of [...details, ...others]) {
      assert.equal((await service.ask(path, { key: mine })).status, 200, path)
      assert.equal((await asTheirs(path)).status, 404, path)
    }
    assert.equal((await asTheirs(`/fetch/cancel/${fetch_id}`, 'POST')).status, 404)
    assert.equal((await asTheirs(`/schedules/${schedule_id}/run`, 'POST')).status, 404)
    const borrowed = await service.ask('/jobs', { key: theirs, body: { upload_id } })
    assert.equal(borrowed.status, 404)
    for (const list of ['jobs', 'uploads', 'schedules', 'webhooks'])
      assert.deepEqual((await asTheirs(`/${list}`)).body[list], [], list)
    const same = { job_id, urls: ['http://a.example/'] }
    assert.equal(
      (await service.ask('/jobs', { key: theirs, body: same })).status,
      202,
      'the id can still be used in the other workspace',
    )
    for (const path of ['/hosts', '/hosts/a.example', '/do-not-crawl', '/metrics'])
      assert.equal((await asTheirs(path)).status, 403, path)
  })

  test('the limits of a key on requests per minute, open jobs and open tasks apply', async () => {
    const eager = await service.key({ limits: { requests_per_minute: 2 } })
    const statuses = [1, 2, 3].map(() => service.ask('/jobs', { key: eager }))
    const answers = await Promise.all(statuses)
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 429])
    const refused = answers.find(({ status }) => status === 429)
    assert.ok(Number(refused?.headers.get('retry-after')) > 0)

    const busy = await service.key({ limits: { concurrent_jobs: 1 } })
    const hours = { policy: { host: { rate: 0.001 } } }
    const asked = { urls: ['http://a.example/1', 'http://a.example/2'], ...hours }
    const sure = { key: busy, headers: { 'idempotency-key': 'once' } }
    const jobId = await service.submit(asked, sure)
    assert.equal(await service.submit(asked, sure), jobId, 'a repeated request gets the first response')
    const second = await service.ask<Refusal>('/jobs', { key: busy, body: { urls: ['http://a.example/'] } })
    assert.deepEqual([second.status, second.body.error.code], [429, 'queue.full'])
  })

  test('every route except probes refuses unknown fields, even a route that has no fields', async () => {
    const { body } = await service.ask<{ paths: Record<string, Record<string, { requestBody?: unknown }>> }>(
      '/openapi.json',
    )
    const probes = ['/healthz', '/health', '/readiness', '/metrics']
    for (const [path, methods] of Object.entries(body.paths).filter(([path]) => !probes.includes(path)))
      for (const [method, { requestBody, ...operation }] of Object.entries(methods)) {
        // Firecrawl's routes and MCP check their own input.
        if ('x-defined-by' in operation) continue
        const url = path.replaceAll(/\{\w+\}/g, 'nothing')
        const asked = { method: method.toUpperCase() }
        const answers = [
          await service.ask(`${url}?bogus=1`, { ...asked, ...(requestBody !== undefined && { body: {} }) }),
        ]
        if (method === 'post' && requestBody === undefined)
          answers.push(await service.ask(url, { ...asked, body: { bogus: 1 } }))
        for (const answer of answers) assert.deepEqual([method, path, answer.status], [method, path, 422])
      }
  })

  test('the error for an unknown field has its path and the nearest known name, also in camelCase', async () => {
    const refusal = async (body: unknown) => (await service.ask<Refusal>('/jobs', { body })).body.error
    const unknown = await refusal({ urls: ['http://a.example/'], policy: { retrys: {} } })
    assert.deepEqual([unknown.code, unknown.field], ['input.invalid', 'policy.retrys'])
    assert.match(unknown.message, /did you mean "retries"/)
    const misplaced = await refusal({ urls: ['http://a.example/'], policy: { rate: 1 } })
    assert.match(misplaced.message, /policy\.rate: unknown at this place; it belongs elsewhere/)
    assert.equal((await refusal({ seedUrls: ['http://a.example/'] })).field, 'seedUrls')
    assert.equal(
      (await refusal({ urls: ['http://a.example/'], cookies_file: '/etc/passwd' })).field,
      'cookies_file',
    )
    const outside = { path: '../../etc/cron.d/x', format: 'csv' }
    assert.match(
      (await refusal({ urls: ['http://a.example/'], output: [outside] })).field ?? '',
      /^output\[0\]\.path/,
    )
  })

  test('the errors for unknown paths and methods are JSON', async () => {
    const missing = await service.ask<Refusal>('/nowhere')
    assert.deepEqual([missing.status, missing.body.error.code], [404, 'route.unknown'])
    const wrong = await service.ask<Refusal>('/jobs', { method: 'PUT', raw: '{}' })
    assert.deepEqual([wrong.status, wrong.body.error.code], [405, 'method.not-allowed'])
    assert.match(wrong.headers.get('allow') ?? '', /POST/)
  })

  test('a client that sends its body very slowly is disconnected with 408', async () => {
    const { connect } = await import('node:net')
    const { port } = new URL(service.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(
      'POST /jobs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer the-key-of-these-tests\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"ur',
    )
    const chunks: Buffer[] = []
    for await (const chunk of socket) chunks.push(chunk as Buffer)
    const answer = Buffer.concat(chunks).toString()
    assert.match(answer, /^HTTP\/1\.1 408 /)
    assert.match(answer, /"code":"request.too-slow"/)
  })

  test('the page of the API docs loads nothing from another host', async () => {
    const page = await service.ask('/docs/', { key: null })
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.ok(!/https?:/.test(policy))
    assert.ok(!/(src|href)="https?:/.test(page.text))
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1]
    assert.ok(nonce)
    for (const [tag] of page.text.matchAll(/<script[^>]*>/g)) assert.match(tag, /src="|nonce="/)
  })

  test('the log contains no secrets or personal data, and its lines are JSON with the request id', async () => {
    const key = await service.key()
    const url = 'http://user:hunter2-secret@a.example/?mail=jane@example.org'
    await service.ask('/jobs', { key, body: { urls: [url] }, headers: { 'x-request-id': 'traced' } })
    const text = JSON.stringify(service.logged)
    for (const secret of [key, 'hunter2-secret', 'the-key-of-these-tests'])
      assert.ok(!text.includes(secret), secret)
    const line = service.logged.find(entry => entry.client_request_id === 'traced' && 'status' in entry)
    assert.deepEqual([line?.status, line?.method, line?.level], [202, 'POST', 'info'])
    assert.ok(service.logged.every(entry => entry.timestamp && entry.level && entry.message !== undefined))
  })
})

test('a service that listens on another address than loopback needs a configured key', async () => {
  await assert.rejects(
    TestService.open({ settings: { host: '0.0.0.0', apiKey: undefined } }),
    /needs an API key/,
  )
})

test('the first start on loopback creates a key, the second start does not, and other services refuse the key', async () => {
  const first = await TestService.open({ settings: { apiKey: undefined } })
  const key = first.service.firstKey!
  assert.equal((await first.ask('/jobs', { key })).status, 200)
  await first.close()
  const second = await TestService.open({ settings: { apiKey: undefined } }, first.folder)
  assert.equal(second.service.firstKey, null)
  assert.equal((await second.ask('/jobs', { key })).status, 200)
  await second.close()
  await using open = await TestService.open({ settings: { host: '0.0.0.0' } }, first.folder)
  const asked = await fetch(`http://127.0.0.1:${new URL(open.url).port}/jobs`, {
    headers: { 'x-api-key': key },
  })
  assert.equal(asked.status, 401)
})

test('an overloaded service rejects requests, and its health check still passes', async () => {
  await using service = await TestService.open({ settings: { busyLagMs: 1 } })
  const until = performance.now() + patienceMs
  let turnedAway = false
  while (!turnedAway && performance.now() < until) {
    // Blocks the event loop, as a load that is too high would.
    for (const stop = performance.now() + 100; performance.now() < stop; );
    turnedAway = (await service.ask('/jobs')).status === 503
    if (turnedAway) assert.equal((await service.ask('/healthz', { key: null })).status, 200)
  }
  assert.ok(turnedAway)
})
