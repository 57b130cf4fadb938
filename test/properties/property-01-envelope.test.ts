// Property 1: every response of the scrape API is the same envelope, and its fields agree with the status.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import * as z from 'zod'
import { defineScraper } from '../../src/scraper/define-scraper.ts'
import { freePort } from '../support/free-port.ts'
import { type Envelope, ScrapeApi } from '../support/scrape-api.ts'
import type { Ask } from '../support/service.ts'

const faulty = defineScraper({
  id: 'faulty',
  input: z.object({ url: z.string() }),
  output: z.object({}),
  run: () => {
    throw new TypeError('this scraper has a bug')
  },
})

let api: ScrapeApi
/** An address where no server listens. */
let closed: string
before(async () => {
  closed = `127.0.0.1:${await freePort()}`
  api = await ScrapeApi.open({ scrapers: [faulty], settings: { allowPrivate: [closed] } })
})
after(() => api?.[Symbol.asyncDispose]())

const anyPath = fc.constantFrom(
  ...['', '/sync', '/batch', '/jobs', '/jobs/none', '/jobs/none/results', '/jobs/none/cancel'],
  ...['/no-such-task', '/a/b/c', '/%2e%2e%2fkeys', '/%zz', '/', '?x=1', '/none?limit=0'],
)
const anyBody = fc.oneof(
  fc.constant(undefined),
  fc.json().map(raw => ({ raw })),
  fc.string().map(raw => ({ raw })),
  fc.constant({ body: { url: 'http://a.example/', target_type: 'page' } }),
  fc.constant({ body: { targets: [{ url: 'http://a.example/', target_type: 'page' }] } }),
  fc.constant({ body: { targets: new Array(101).fill({ url: 'http://a.example/', target_type: 'page' }) } }),
)
const anyAsk = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH'),
  sent: anyBody,
  key: fc.constantFrom(undefined, undefined, null, 'a-key-that-is-nobodys'),
  type: fc.constantFrom('application/json', 'application/json', 'text/plain'),
})

/** True for a synchronous scrape with a body, because it would wait for a site that does not exist. */
const isScrape = (path: string, { body }: Ask) => path.startsWith('/sync') && body !== undefined

test('Property 1: every request gets a response envelope', async () => {
  await fc.assert(
    fc.asyncProperty(anyPath, anyAsk, async (path, { method, sent, key, type }) => {
      const ask: Ask = {
        method,
        ...(method !== 'GET' && sent),
        ...(key !== undefined && { key }),
        headers: method !== 'GET' && sent ? { 'content-type': type } : {},
      }
      fc.pre(!isScrape(path, ask))
      const answer = await api.ask(path, ask)
      assert.ok(answer.status < 500, answer.text)
      checkEnvelope(answer)
    }),
    { numRuns: 150 },
  )
})

test('Property 1: successful requests get a response envelope', async () => {
  const { url } = api.site
  const scrape = { url: `${url}/`, target_type: 'page' }
  const sync = await api.ask('/sync', { body: scrape })
  const { task_id, job_id } = await api.scrape(scrape)
  for (const answer of [
    sync,
    await api.ask(`/${task_id}`),
    await api.ask(`/jobs/${job_id}`),
    await api.ask(`/jobs/${job_id}/results`),
    await api.ask('/batch', { body: { targets: [scrape] } }),
  ]) {
    assert.ok(answer.status < 300)
    checkEnvelope(answer)
  }
})

/** Requests that end with a status of 500 or more. */
const failures: Record<string, { status: number; code: string; ask: () => ReturnType<ScrapeApi['ask']> }> = {
  'a scraper with a bug': {
    status: 502,
    code: 'ScraperFailedError',
    ask: () => api.ask('/sync', { body: { url: `${api.site.url}/`, target_type: 'faulty' } }),
  },
  'a bug in the service itself': { status: 500, code: 'InternalError', ask: () => withBrokenStore() },
  'a site that is down': {
    status: 502,
    code: 'ConnectRefusedError',
    ask: () => api.ask('/sync', { body: { url: `http://${closed}/`, target_type: 'page' } }),
  },
  'a site that fails': {
    status: 502,
    code: 'HttpServerErrorError',
    ask: () => {
      api.site.serve('/failing', { status: 500, headers: {}, body: '' })
      return api.ask('/sync', { body: { url: `${api.site.url}/failing`, target_type: 'page' } })
    },
  },
  'a site that does not respond in time': {
    status: 504,
    code: 'TaskTimeoutError',
    ask: async () => {
      using _hold = api.site.hold('/silent')
      const body = { url: `${api.site.url}/silent`, target_type: 'page', timeout_s: 1 }
      return await api.ask('/sync', { body })
    },
  },
}

/** Makes the store throw an error that is not a Failure. */
async function withBrokenStore() {
  const { jobs } = api.service.service.engine.data.store
  const { get } = jobs
  jobs.get = () => Promise.reject(new TypeError('secret-of-the-stack is not a function'))
  try {
    return await api.ask('/jobs/6c9d4d0c-6e0f-4f6a-9d55-3f1a2b4c5d6e')
  } finally {
    jobs.get = get
  }
}

// Fails if `answerProblem` sends statuses of 500 and above in the usual form instead of the envelope.
test('Property 1: failures of 500 and above get a response envelope that contains no stack trace', async () => {
  for (const [what, { status, code, ask }] of Object.entries(failures)) {
    const answer = await ask()
    assert.deepEqual([answer.status, answer.body.error?.code], [status, code], `${what}: ${answer.text}`)
    checkEnvelope(answer)
    assert.doesNotMatch(answer.text, /secret-of-the-stack|\bat .*\.ts:/, what)
  }
})

function checkEnvelope({ status, body, headers, text }: Awaited<ReturnType<ScrapeApi['ask']>>): void {
  assert.notEqual(body, null, `no JSON: ${status} ${text}`)
  const { success, data, error, request_id } = body as Envelope<unknown>
  assert.deepEqual(Object.keys(body), ['success', 'data', 'error', 'request_id'])
  assert.equal(request_id, headers.get('x-request-id'))
  assert.equal(success, status < 400, text)
  if (success) {
    assert.equal(error, null)
    assert.equal(typeof data, 'object')
    return
  }
  assert.equal(data, null)
  assert.deepEqual(Object.keys(error!), ['code', 'message', 'details'])
  assert.match(error!.code, /^[A-Z][A-Za-z]+Error$/)
  assert.notEqual(error!.message, '')
}
