// Tests the requests of the client, with a fake service.
import assert from 'node:assert/strict'
import test from 'node:test'
import { ApiError, Connection, pathTo } from './connection.ts'

interface Sent {
  url: string
  method: string
  headers: Record<string, string>
  body: unknown
}

/** A fake service that returns these responses one after another, and logs the requests. */
function answering(...answers: Array<Response | Error>) {
  const sent: Sent[] = []
  const fake = async (url: string, { method, headers, body }: RequestInit) => {
    sent.push({ url, method: method!, headers: headers as Record<string, string>, body })
    const answer = answers.shift()!
    if (answer instanceof Error) throw answer
    return answer
  }
  const connection = new Connection({
    server: 'http://a.example:8001/',
    apiKey: 'the-key',
    fetch: fake as typeof fetch,
  })
  return { connection, sent }
}

const json = (body: unknown, init: ResponseInit = {}) => new Response(JSON.stringify(body), init)
const busy = () => json({}, { status: 503, headers: { 'retry-after': '0' } })

test('names are snake_case on the wire and camelCase in the client, except user data', async () => {
  const { connection, sent } = answering(
    json({ job_id: 'x', counts: { by_state: { in_progress: 1 } }, data: { a_b: 1 } }),
  )
  const answer = await connection.json('/jobs', {
    body: { seedUrls: ['http://b/'], labels: { myLabel: 'x' } },
    query: { createdFrom: 'now', label: ['a:1', 'b:2'], cursor: undefined },
  })
  assert.deepEqual(answer, { jobId: 'x', counts: { byState: { in_progress: 1 } }, data: { a_b: 1 } })
  assert.equal(sent[0]?.url, 'http://a.example:8001/jobs?created_from=now&label=a%3A1&label=b%3A2')
  assert.deepEqual(JSON.parse(String(sent[0]?.body)), { seed_urls: ['http://b/'], labels: { myLabel: 'x' } })
  assert.equal(sent[0]?.headers.authorization, 'Bearer the-key')
})

test('a refusal is an error with code, field and request id', async () => {
  const error = { code: 'input.invalid', message: 'urls: too many', field: 'urls', request_id: 'r-1' }
  const { connection } = answering(json({ error }, { status: 422 }))
  await assert.rejects(connection.json('/jobs', { body: {} }), (thrown: unknown) => {
    assert.ok(thrown instanceof ApiError)
    const { code, field, requestId, status, message } = thrown
    assert.deepEqual(
      { code, field, requestId, status, message },
      {
        ...{ code: 'input.invalid', field: 'urls', requestId: 'r-1', status: 422 },
        message: 'urls: too many',
      },
    )
    return true
  })
})

test('a response of a proxy in front of the service becomes an error with its status', async () => {
  const { connection } = answering(new Response('<h1>Bad gateway</h1>', { status: 502 }))
  await assert.rejects(connection.json('/jobs'), { code: 'server.unreadable', status: 502 })
})

test('a request that a busy service refuses is retried as often as configured', async () => {
  const { connection, sent } = answering(busy(), busy(), json({ ok: true }))
  assert.deepEqual(await connection.json('/jobs', { body: {} }), { ok: true })
  assert.equal(sent.length, 3)
  const patient = answering(busy(), busy(), busy())
  await assert.rejects(patient.connection.json('/jobs', { retries: 1 }), { status: 503 })
  assert.equal(patient.sent.length, 2)
})

test('after a lost connection only idempotent requests are sent again', async () => {
  const lost = () => new TypeError('fetch failed', { cause: new Error('socket hang up') })
  const looking = answering(lost(), json({ ok: true }))
  assert.deepEqual(await looking.connection.json('/jobs'), { ok: true })
  const keyed = answering(lost(), json({ ok: true }))
  const headers = { 'idempotency-key': 'once' }
  assert.deepEqual(await keyed.connection.json('/jobs', { body: {}, headers }), { ok: true })
  const plain = answering(lost(), json({ ok: true }))
  await assert.rejects(plain.connection.json('/keys', { body: {} }), {
    code: 'server.unreachable',
    message: /socket hang up/,
  })
})

test('the API key is sent only to the service, whatever URL the service returns', async () => {
  const { connection, sent } = answering(json({}))
  await connection.send('https://bucket.example/put?signature=x', { method: 'PUT', raw: 'rows' })
  assert.equal(sent[0]?.url, 'https://bucket.example/put?signature=x')
  assert.equal(sent[0]?.headers.authorization, undefined)
})

test('an id with slashes stays within its segment of the path', () => {
  assert.equal(pathTo`/jobs/${'../keys'}/status`, '/jobs/..%2Fkeys/status')
})

test('an invalid address is refused at once', () => {
  assert.throws(() => new Connection({ server: 'nowhere' }), /is not a service URL/)
})
