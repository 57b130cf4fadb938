// Property 1: every answer of the scrape face is the same envelope, and its fields say what the status says.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { type Envelope, ScrapeApi } from '../support/scrape-api.ts'
import type { Ask } from '../support/service.ts'

let api: ScrapeApi
before(async () => {
  api = await ScrapeApi.open()
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

/** A scrape that is waited for would go on until its site answers; there is none. */
const isScrape = (path: string, { body }: Ask) => path.startsWith('/sync') && body !== undefined

test('Property 1: an envelope, whatever is asked', async () => {
  await fc.assert(
    fc.asyncProperty(anyPath, anyAsk, async (path, { method, sent, key, type }) => {
      const ask: Ask = {
        method,
        ...(method !== 'GET' && sent),
        ...(key !== undefined && { key }),
        headers: method !== 'GET' && sent ? { 'content-type': type } : {},
      }
      fc.pre(!isScrape(path, ask))
      checkEnvelope(await api.ask(path, ask))
    }),
    { numRuns: 150 },
  )
})

test('Property 1: also when it went well', async () => {
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

function checkEnvelope({ status, body, headers, text }: Awaited<ReturnType<ScrapeApi['ask']>>): void {
  assert.notEqual(body, null, `no JSON: ${status} ${text}`)
  const { success, data, error, request_id } = body as Envelope<unknown>
  assert.deepEqual(Object.keys(body), ['success', 'data', 'error', 'request_id'])
  assert.equal(request_id, headers.get('x-request-id'))
  assert.equal(success, status < 400, text)
  assert.ok(status < 500, text)
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
