// Tests errors with the field names of the scrape API, and scrapes without a healthy proxy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../../model/failures.ts'
import { inCallersWords, refuseWithoutProxies } from './accept.ts'

const respelt = (path: string, isBatch = false) =>
  inCallersWords(new Failure('input.invalid', `${path}: wrong`, { path }), isBatch)

test('errors of the scrape API say "targets" for items and "callback_url" for the webhook', () => {
  assert.equal(respelt('items[1].input.url', true).details.path, 'targets[1].url')
  assert.equal(respelt('items[0].input.url').details.path, 'url')
  assert.equal(respelt('items[0].input.zip').details.path, 'options.input.zip')
  assert.equal(respelt('items[2].input', true).details.path, 'targets[2].options.input')
  assert.equal(respelt('webhook_url').details.path, 'callback_url')
})

test('errors of the scrape API name rules and rendering as fields of "options", also in the message', () => {
  assert.equal(respelt('rendering.wait_for').details.path, 'options.wait_for')
  assert.equal(respelt('fields.price').details.path, 'options.extract.fields.price')
  assert.match(respelt('headers').message, /^options\.headers: wrong/)
})

test('all errors use the field names of this API, and the path of the failure is that of the first error', () => {
  const problems = [
    { path: 'webhook_url', message: 'a' },
    { path: 'render', message: 'b' },
  ]
  const { details } = inCallersWords(new Failure('input.invalid', 'x', { problems }), false)
  assert.equal(details.path, 'callback_url')
  assert.deepEqual(
    (details.problems as typeof problems).map(({ path }) => path),
    ['callback_url', 'options.render'],
  )
})

const proxy = (isHealthy: boolean, source = 'operator') => ({ isHealthy, source })
const refusing = (listed: object[] | Error, proxies = ['http://p:1']) =>
  refuseWithoutProxies({
    settings: { proxies, proxyCheckMs: 500 },
    parts: { proxies: { list: async () => (listed instanceof Error ? Promise.reject(listed) : listed) } },
  } as never)

test('a scrape fails at once if all proxies of the operator are unhealthy', async () => {
  await assert.rejects(refusing([proxy(false), proxy(false), proxy(true, 'provider')]), {
    ...{ code: 'proxy.none-healthy', details: { proxies: 2, retryAfterMs: 500 } },
  })
  await refusing([proxy(false), proxy(true)])
  await refusing([proxy(false)], [])
  await refusing([])
  await refusing(new Error('nobody leads'))
})
