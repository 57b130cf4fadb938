// Tests the job that a request to /fetch creates, and errors with the field names of the caller.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../../model/failures.ts'
import type { FetchBody } from './schemas.ts'
import { inTheirWords, specOf, warningsOf } from './spec.ts'

const body = (options?: object, more: object = {}): FetchBody =>
  ({ links: ['https://a.example/', 'https://a.example/'], options, ...more }) as unknown as FetchBody

test('every link becomes an item that opens in the stealth browser, each in its own context', () => {
  const spec = specOf(body())
  assert.deepEqual(
    spec.items?.map(({ itemId }) => itemId),
    ['link-1', 'link-2'],
  )
  assert.deepEqual([spec.render, spec.browser, spec.policy.browser?.isolation], ['always', 'stealth', 'task'])
  assert.equal(spec.concurrency, 5)
})

test('wait_min without wait_max is the exact wait, and wait_max without wait_min starts at 0', () => {
  const waitOf = (options: object) => specOf(body(options)).rendering?.waitFor
  assert.deepEqual(waitOf({ waitMin: 1.5 }), { minMs: 1_500, maxMs: 1_500 })
  assert.deepEqual(waitOf({ waitMax: 2 }), { minMs: 0, maxMs: 2_000 })
  assert.deepEqual(waitOf({ waitMin: 1, waitMax: 2 }), { minMs: 1_000, maxMs: 2_000 })
  assert.equal(waitOf({ waitMin: 0, waitMax: 0 }), undefined)
  assert.equal(waitOf({}), undefined)
})

test('the wait is added to the usual timeouts of a page', () => {
  const { policy } = specOf(body({ waitMax: 10 }))
  assert.deepEqual([policy.browser?.navigationMs, policy.browser?.taskMs], [40_000, 70_000])
})

test('at most 20 pages are open at a time, and a higher value gives a warning', () => {
  assert.equal(specOf(body({ concurrencyLimit: 20 })).concurrency, 20)
  assert.deepEqual(warningsOf(body({ concurrencyLimit: 20 })), [])
  assert.equal(specOf(body({ concurrencyLimit: 50 })).concurrency, 20)
  assert.deepEqual(
    warningsOf(body({ concurrencyLimit: 50 })).map(({ field }) => field),
    ['options.concurrency_limit'],
  )
})

test('a request cannot choose headless mode, neither at the top level nor in options', () => {
  const fields = warningsOf(body({ headless: false }, { headless: true })).map(({ field }) => field)
  assert.deepEqual(fields, ['headless', 'options.headless'])
})

test('proxies are accepted in the usual notations', () => {
  const urlsOf = (...proxies: string[]) => specOf(body({ proxies })).policy.proxy?.urls
  assert.deepEqual(urlsOf('p.example:8080', 'http://p.example:1', 'socks5://p.example:2'), [
    ...['http://p.example:8080', 'http://p.example:1', 'socks5://p.example:2'],
  ])
  assert.deepEqual(urlsOf('p.example:8080:us er:x'.replace(' ', '')), ['http://user:x@p.example:8080'])
  assert.deepEqual(urlsOf('p.example:8080:user:p@ss:word'), ['http://user:p%40ss%3Aword@p.example:8080'])
  assert.equal(specOf(body({ proxies: [] })).policy.proxy, undefined)
})

test('the error for an invalid proxy names its position, not its value, which may contain a password', () => {
  assert.throws(
    () => specOf(body({ proxies: ['http://p.example:1', 'user:secret@@'] })),
    (error: Failure) => error.details.path === 'options.proxies[1]' && !error.message.includes('secret'),
  )
})

test('errors use the field names of the request', () => {
  const told = (path: string, message = `${path}: wrong`) =>
    inTheirWords(new Failure('input.invalid', message, { path })) as Failure
  assert.equal(told('items[3].input.url').details.path, 'links[3]')
  assert.equal(told('items[3].input.url').message, 'links[3]: wrong')
  assert.equal(told('webhook_url').details.path, 'options.webhook_url')
  assert.equal(told('policy.proxy.urls[0]').details.path, 'options.proxies[0]')
})

test('an error about the stealth browser names no field, because no field of the request selects it', () => {
  const told = inTheirWords(
    new Failure('request.forbidden', 'browser: no', { path: 'browser', needs: 'stealth' }),
  )
  assert.deepEqual((told as Failure).details, { needs: 'stealth' })
  assert.match((told as Failure).message, /^\/fetch/)
})

test('an error without a field is passed on unchanged', () => {
  const error = new Error('x')
  assert.equal(inTheirWords(error), error)
})
