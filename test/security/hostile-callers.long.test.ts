// Tests that for any input to any route, there is no 5xx and no stack trace, and other callers are served.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startTestSite } from '../site/index.ts'
import { type RawAnswer, sendRaw } from '../support/raw-request.ts'
import { operatorKey, TestService } from '../support/service.ts'
import { ssrfVectors } from '../vectors/ssrf.ts'

const vectors = <Value>(name: string): Value =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../vectors/bad-inputs', name), 'utf8')) as Value

interface BadBody {
  id: string
  body?: string
  body_base64?: string
  content_type?: string
  headers?: Record<string, string>
}

const badBodies = vectors<{ cases: BadBody[] }>('api.json').cases.filter(
  ({ body, body_base64 }) => body !== undefined || body_base64 !== undefined,
)

interface Route {
  method: string
  path: string
  takesBody: boolean
}

const key = { authorization: `Bearer ${operatorKey}` }

function checkAnswer({ status, headers, text }: RawAnswer, what: string): void {
  assert.ok(status < 500, `${what}: ${status} ${text.slice(0, 300)}`)
  assert.ok(!/\n\s+at |node_modules|\/src\//.test(text), `${what}: a stack trace in ${text.slice(0, 300)}`)
  assert.ok(headers['x-request-id'], what)
  assert.equal(headers['x-content-type-options'], 'nosniff', what)
  if (status >= 400 && String(headers['content-type']).includes('json')) {
    const { error } = JSON.parse(text) as { error?: string | { code?: string | number; message?: string } }
    // Firecrawl's clients expect the error to be a string.
    const isNamed = typeof error === 'string' ? error !== '' : error?.code && error.message
    assert.ok(isNamed, `${what}: ${text.slice(0, 300)}`)
  }
}

describe('hostile requests', () => {
  let service: TestService
  let routes: Route[]
  before(async () => {
    // The hosts of accepted jobs are denied, because no test may send requests to the internet.
    service = await TestService.open({
      settings: { denyHosts: ['a.example', 'example.com'], maxBodyBytes: 2_000_000 },
    })
    const { body } = await service.ask<{ paths: Record<string, Record<string, { requestBody?: unknown }>> }>(
      '/openapi.json',
    )
    routes = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { requestBody }]) => ({
        ...{ method: method.toUpperCase(), path },
        takesBody: requestBody !== undefined,
      })),
    )
  })
  after(() => service?.[Symbol.asyncDispose]())

  const filled = (path: string, id: string): string => path.replace(/\{\w+\}/g, () => id)

  test('every route refuses every invalid body', async () => {
    const taking = routes.filter(({ takesBody }) => takesBody)
    assert.ok(taking.length > 10)
    for (const { method, path } of taking)
      for (const bad of badBodies) {
        const body = bad.body_base64 ? Buffer.from(bad.body_base64, 'base64') : Buffer.from(bad.body ?? '')
        const answer = await sendRaw(service.url, {
          ...{ method, path: filled(path, 'x'), body },
          headers: { ...key, 'content-type': bad.content_type ?? 'application/json', ...bad.headers },
        })
        checkAnswer(answer, `${method} ${path} ${bad.id}`)
      }
  })

  const oddIds = [
    ...['..%2f..%2fetc%2fpasswd', '%2e%2e', '%00', 'a%0d%0ab', '%ff', '%', "'%20OR%201=1--", '__proto__'],
    ...['constructor', '-', '%F0%9F%92%A9', 'a'.repeat(600), 'job%3Fx=1', '%5c%5chost'],
  ]

  test('invalid ids are answered as not found on every route', async () => {
    for (const { method, path } of routes.filter(route => route.path.includes('{')))
      for (const id of oddIds) {
        const answer = await sendRaw(service.url, { method, path: filled(path, id), headers: key })
        checkAnswer(answer, `${method} ${filled(path, id)}`)
        // Routes of hosts accept almost any name, because an operator may pause a host before its first request.
        if (!path.startsWith('/hosts/')) assert.ok(answer.status >= 400, `${method} ${filled(path, id)}`)
      }
  })

  test('on every route, an invalid query is refused with the name of the parameter, or has no effect', async () => {
    const queries = [
      'limit=-1',
      'limit=1e999',
      'cursor=%00',
      'cursor[]=x',
      '__proto__[x]=1',
      'a=%ff',
      `q=${'('.repeat(900)}`,
    ]
    for (const { path } of routes.filter(({ method }) => method === 'GET'))
      for (const query of [...queries, 'filter=<<', 'label=x', 'status=nothing', 'format=exe', 'part=0'])
        checkAnswer(
          await sendRaw(service.url, { method: 'GET', path: `${filled(path, 'x')}?${query}`, headers: key }),
          `${path}?${query}`,
        )
  })

  test('every API that accepts a job refuses invalid actions at once, with their path', async () => {
    const { invalid } = vectors<{ invalid: unknown[] }>('actions.json')
    for (const actions of invalid) {
      const job = { urls: ['http://a.example/'], actions }
      const asked = await service.ask<{ error: { field: string } }>('/jobs', { body: job })
      assert.equal(asked.status, 422, JSON.stringify(actions).slice(0, 100))
      assert.match(asked.body.error.field, /^actions/)
      const scheduled = await service.ask('/schedules', {
        body: { cron: '0 0 * * *', time_zone: 'UTC', name: 'x', job },
      })
      assert.equal(scheduled.status, 422)
    }
  })

  test('an invalid schedule, or one that never runs, is refused; the response for a valid schedule has its next five runs', async () => {
    const { invalid, valid } = vectors<{ invalid: string[]; valid: string[] }>('cron.json')
    const schedule = (cron: string) =>
      service.ask<{ next_runs: string[]; error: { field: string } }>('/schedules', {
        body: { cron, time_zone: 'UTC', name: 'x', job: { urls: ['http://a.example/'] } },
      })
    for (const cron of invalid) {
      const { status, body } = await schedule(cron)
      assert.deepEqual([status, body.error.field], [422, 'cron'], cron)
    }
    for (const cron of valid) assert.equal((await schedule(cron)).body.next_runs.length, 5, cron)
  })

  test('every route refuses a body above its limit, compressed or not', async () => {
    const body = Buffer.from(
      JSON.stringify({ urls: ['http://a.example/'], labels: { long: 'x'.repeat(2_100_000) } }),
    )
    for (const { method, path } of routes.filter(
      ({ takesBody, path }) => takesBody && !path.endsWith('/content'),
    )) {
      const headers = { ...key, 'content-type': 'application/json' }
      const answer = await sendRaw(service.url, { method, path: filled(path, 'x'), body, headers })
      // /v2/parse takes large files but no JSON, so it answers 415.
      assert.equal(answer.status, path === '/v2/parse' ? 415 : 413, `${method} ${path}`)
      checkAnswer(answer, path)
    }
    const packed = await sendRaw(service.url, {
      ...{ path: '/jobs', body: gzipSync(body) },
      headers: { ...key, 'content-type': 'application/json', 'content-encoding': 'gzip' },
    })
    assert.ok([400, 413, 415].includes(packed.status), String(packed.status))
  })

  test('no API can be used to request a private address, send another header, or store files elsewhere', async () => {
    const of = (surface: string) => ssrfVectors('surface').filter(vector => vector.surface === surface)
    const refused = async (path: string, body: unknown, what: string) => {
      const { status, text } = await service.ask(path, { body })
      assert.ok(status >= 400 && status < 500, `${what} at ${path}: ${status} ${text.slice(0, 200)}`)
    }
    const url = 'http://a.example/'
    for (const { input, expect } of of('webhook_url').filter(vector => vector.expect === 'deny')) {
      const job = { urls: [url], webhook_url: input }
      await refused('/jobs', job, `${expect} ${input}`)
      await refused('/schedules', { cron: '0 0 * * *', time_zone: 'UTC', name: 'x', job }, input)
      await refused('/api/v1/scrape', { url, target_type: 'page', callback_url: input }, input)
      await refused('/fetch/start', { links: [url], options: { webhook_url: input } }, input)
    }
    for (const { input } of of('header_override'))
      await refused('/jobs', { urls: [url], headers: JSON.parse(input) }, input)
    for (const { input } of of('storage_endpoint'))
      await refused('/jobs', { urls: [url], ...JSON.parse(input) }, input)
  })

  test('after all hostile requests, no JavaScript prototype is changed, and the service works', async () => {
    assert.equal(({} as Record<string, unknown>).admin, undefined)
    assert.equal((await service.ask('/readiness')).status, 200)
    assert.deepEqual(
      service.logged.filter(({ level }) => level === 'error').map(({ message }) => message),
      [],
    )
  })
})

class Line {
  readonly socket: Socket
  /** Resolves with the whole response when the connection is closed. */
  readonly answered: Promise<string>
  #text = ''

  private constructor(port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.on('error', () => {})
    this.socket.on('data', chunk => (this.#text += chunk))
    this.answered = new Promise(resolve => this.socket.once('close', () => resolve(this.#text)))
  }

  static async open(port: number, first = ''): Promise<Line> {
    const line = new Line(port)
    await new Promise(resolve => line.socket.once('connect', resolve))
    line.socket.write(first)
    return line
  }

  /** Sends one byte, unless there is a response: writing to a closed connection would discard the response. */
  drip(): void {
    if (this.#text === '' && this.socket.writable) this.socket.write(' ')
  }
}

test('a thousand idle connections and slow bodies do not block other callers, and are closed', async () => {
  await using service = await TestService.open({
    settings: { bodyTimeoutMs: 1_500, denyHosts: ['a.example'] },
  })
  const port = Number(new URL(service.url).port)
  const head = `POST /jobs HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${operatorKey}\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n`
  const idle = await Promise.all(Array.from({ length: 1_000 }, () => Line.open(port)))
  const dripping = await Promise.all(Array.from({ length: 50 }, () => Line.open(port, `${head}{`)))
  const drip = setInterval(() => {
    for (const line of dripping) line.drip()
  }, 50)
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => service.ask('/jobs', { body: { urls: ['http://a.example/'] } })),
  )
  assert.ok(answers.every(({ status }) => status === 202))
  for (const { answered } of dripping) assert.match(await answered, /^HTTP\/1\.1 408 /)
  clearInterval(drip)
  for (const { socket } of idle) socket.destroy()
})

test('content of a website is sent as a file that browsers do not execute', async () => {
  await using site = await startTestSite()
  await using service = await TestService.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
  site.serve('/script', '<title>x</title><script>alert(1)</script>')
  const policy = { host: { rate: 'unlimited' } }
  const jobId = await service.submit({
    urls: [`${site.url}/script`],
    policy,
    output: [{ path: 'a.csv', format: 'csv' }],
  })
  await service.ended(jobId)
  for (const path of [
    'items/task-1/download?artifact=html',
    'outputs/a.csv',
    'export?format=md',
    'results?format=csv',
  ]) {
    const { status, headers } = await service.ask(`/jobs/${jobId}/${path}`)
    assert.equal(status, 200, path)
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="[\w.-]+"$/, path)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
    assert.match(headers.get('content-security-policy') ?? '', /^sandbox; default-src 'none'/, path)
    assert.ok(!/html|javascript|svg/.test(headers.get('content-type') ?? ''), path)
  }
})
