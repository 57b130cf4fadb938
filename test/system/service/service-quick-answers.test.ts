// Tests the cached responses to frequent status requests: they have the same content, access checks and counts as other responses.
import assert from 'node:assert/strict'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { after, before, test } from 'node:test'
import { operatorKey, TestService } from '../../support/service.ts'

let service: TestService
before(async () => {
  service = await TestService.open({ logLevel: 'info' })
})
after(() => service?.[Symbol.asyncDispose]())

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** A client with one connection for all requests. */
function line() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (path: string, key: string | null = operatorKey, headers: Record<string, string> = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const sent = { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers }
    request(`${service.url}${path}`, { agent, headers: sent }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }))
    })
      .on('error', reject)
      .end()
    return promise
  }
  return { ask, [Symbol.dispose]: () => agent.destroy() }
}

const waiting = { urls: ['http://a.example/'], policy: { host: { rate: 0.001 } } }

/** The headers of a response, without those that differ from response to response. */
const kept = ({
  'x-request-id': _id,
  date: _date,
  'content-length': _length,
  ...headers
}: IncomingHttpHeaders) => headers

test('a cached response has the same status, body fields and headers as the first response, and its own request id', async () => {
  using connection = line()
  const jobId = await service.submit(waiting)
  const first = await connection.ask(`/jobs/${jobId}/status`)
  const again = await Promise.all([1, 2, 3].map(() => connection.ask(`/jobs/${jobId}/status`)))
  for (const one of again) {
    assert.deepEqual([one.status, kept(one.headers)], [200, kept(first.headers)])
    assert.deepEqual(Object.keys(JSON.parse(one.text)), Object.keys(JSON.parse(first.text)))
  }
  assert.equal(new Set([first, ...again].map(({ headers }) => headers['x-request-id'])).size, 4)
  const named = await connection.ask(`/jobs/${jobId}/status`, operatorKey, { 'x-request-id': 'mine-1' })
  assert.equal(named.headers['x-client-request-id'], 'mine-1')
  const metrics = await service.ask('/metrics')
  assert.match(
    metrics.text,
    /kscrape_http_answers_total\{method="GET",route="\/jobs\/:jobId\/status",status="200"\} 5\n/,
  )
})

test('if a job changes, its cached response is not used any more', async () => {
  using connection = line()
  const jobId = await service.submit(waiting)
  for (let round = 0; round < 3; round += 1) await connection.ask(`/jobs/${jobId}`)
  const shown = async () => JSON.parse((await connection.ask(`/jobs/${jobId}`)).text).status
  for (const [way, status] of [
    ['pause', 'paused'],
    ['resume', 'running'],
  ] as const) {
    await service.ask(`/jobs/${jobId}/${way}`, { method: 'POST' })
    assert.equal(await shown(), status)
  }
  await service.ask(`/jobs/${jobId}/cancel`, { method: 'POST' })
  await service.ended(jobId)
  assert.equal(await shown(), 'cancelled')
  await service.ask(`/jobs/${jobId}`, { method: 'DELETE' })
  assert.equal((await connection.ask(`/jobs/${jobId}`)).status, 404)
})

test('a cached response is never sent to another workspace, or for a wrong or missing key, even on the same connection', async () => {
  using connection = line()
  const path = `/jobs/${await service.submit(waiting)}/status`
  const theirs = await service.key({ workspace: 'theirs', scopes: ['admin'] })
  const revoked = await service.ask<{ key: string; key_id: string }>('/keys', { body: { name: 'short' } })
  const asks = (key: string | null) => connection.ask(path, key).then(({ status }) => status)
  for (let round = 0; round < 3; round += 1) {
    assert.equal(await asks(operatorKey), 200)
    assert.equal(await asks(theirs), 404)
    assert.equal(await asks('no-key-of-this-service'), 401)
    assert.equal(await asks(null), 401)
    assert.equal(await asks(revoked.body.key), 200)
  }
  await service.ask(`/keys/${revoked.body.key_id}`, { method: 'DELETE' })
  assert.equal(await asks(revoked.body.key), 401)
})

test('responses from the cache count against the request limit of the key', async () => {
  using connection = line()
  const path = `/jobs/${await service.submit(waiting)}/status`
  const eager = await service.key({ limits: { requests_per_minute: 3 } })
  const statuses: number[] = []
  for (let round = 0; round < 5; round += 1) statuses.push((await connection.ask(path, eager)).status)
  assert.deepEqual(statuses, [200, 200, 200, 429, 429])
})
