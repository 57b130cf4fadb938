// Property 4: only requests with the key in X-Service-Key are accepted.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { ScrapeApi } from '../support/scrape-api.ts'

const serviceKey = 'service-key-of-this-test'
let api: ScrapeApi
before(async () => {
  api = await ScrapeApi.open({ settings: { serviceKey } })
})
after(() => api?.[Symbol.asyncDispose]())

const visible = fc.stringMatching(/^[\x21-\x7e]{1,60}$/)
/** Any text as a key, including texts that are almost the right key. */
const anyKey = fc.oneof(
  visible,
  fc.constantFrom(serviceKey, serviceKey.toUpperCase(), `${serviceKey}x`, serviceKey.slice(1), ''),
  fc.nat(serviceKey.length).map(length => serviceKey.slice(0, length)),
)
const routes = fc.constantFrom<[string, string]>(
  ...([
    ['GET', '/none'],
    ['GET', '/jobs/none'],
    ['GET', '/jobs/none/results'],
    ['POST', '/jobs/none/cancel'],
  ] as Array<[string, string]>),
)

test('Property 4: a request without the right key is refused', async () => {
  await fc.assert(
    fc.asyncProperty(anyKey, routes, async (key, [method, path]) => {
      const headers = { 'x-service-key': key }
      const { status, body } = await api.ask(path, { method, key: null, headers })
      if (key === serviceKey) return assert.equal(status, 404)
      assert.deepEqual([status, body.error?.code], [401, 'AuthenticationError'])
    }),
    { numRuns: 80 },
  )
})

test('Property 4: a request without a key gets no details, not even about errors of the request', async () => {
  for (const path of ['', '/sync', '/batch', '/jobs/none/cancel']) {
    const { status, body } = await api.ask(path, { key: null, body: { url: 1 } })
    assert.deepEqual([status, body.error?.code], [401, 'AuthenticationError'], path)
  }
})
