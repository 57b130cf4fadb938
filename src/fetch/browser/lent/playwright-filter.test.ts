// Tests which messages of Playwright clients to a lent browser the filter lets through.
import assert from 'node:assert/strict'
import test from 'node:test'
import { isNote, type PlaywrightMessage, refusedMessage as refusedFor } from './playwright-filter.ts'

const refusedMessage = (message: PlaywrightMessage, { mayBeBrowser = true, mayUseCredentials = true } = {}) =>
  refusedFor(message, { mayBeBrowser, mayUseCredentials })

test('a client may dispose of its request context, because that sends no request', () => {
  assert.equal(refusedMessage({ guid: 'request-context@1', method: 'dispose' }), null)
  assert.equal(refusedMessage({ guid: 'browser-context@1', method: 'close' }), null)
})

test('a client may abort a call, and its messages about waits get no response', () => {
  assert.equal(refusedMessage({ guid: 'page@1', method: '__abort__', params: { id: 7 } }), null)
  assert.equal(isNote({ id: 7, guid: 'page@1', method: '__waitInfo__' }), true)
  assert.equal(isNote({ id: 7, guid: 'page@1', method: 'goto' }), false)
})

test('every Playwright method that would act outside the browser is refused', () => {
  const refused: Array<[guid: string, method: string]> = [
    ['request-context@1', 'fetch'],
    ['request-context@1', 'storageState'],
    ['tracing@1', 'dispose'],
    ['tracing@1', 'tracingStart'],
    ['local-utils', 'harOpen'],
    ['browser-type@1', 'launch'],
    ['page@1', 'unheardOf'],
  ]
  for (const [guid, method] of refused)
    assert.match(refusedMessage({ guid, method }) ?? '', /not available/, `${guid} ${method}`)
})

test('file uploads from the server and options that bypass the egress gate are refused by name', () => {
  const upload = { guid: 'frame@1', method: 'setInputFiles', params: { localPaths: ['/etc/passwd'] } }
  assert.match(refusedMessage(upload) ?? '', /cannot read files/)
  const proxy = { guid: 'browser@1', method: 'newContext', params: { proxy: { server: 'http://127.0.0.1' } } }
  assert.match(refusedMessage(proxy) ?? '', /"proxy" is not available/)
  const plain = { guid: 'browser@1', method: 'newContext', params: { locale: 'de-DE' } }
  assert.equal(refusedMessage(plain), null)
})

test('a client without the scope browser_headers cannot set the user agent of a browser in any message', () => {
  const browser = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0'
  const headers = [{ name: 'User-agent', value: browser }]
  const messages = [
    { guid: 'browser@1', method: 'newContext', params: { userAgent: browser } },
    { guid: 'browser@1', method: 'newContext', params: { extraHTTPHeaders: headers } },
    { guid: 'browser-context@1', method: 'setExtraHTTPHeaders', params: { headers } },
    { guid: 'page@1', method: 'setExtraHTTPHeaders', params: { headers } },
  ]
  for (const message of messages) {
    assert.match(refusedMessage(message, { mayBeBrowser: false }) ?? '', /scope "browser_headers"/)
    assert.equal(refusedMessage(message), null)
  }
  const honest = { guid: 'browser@1', method: 'newContext', params: { userAgent: 'my-bot/1.0' } }
  assert.equal(refusedMessage(honest, { mayBeBrowser: false }), null)
})

test('a browser context with credentials, a login or cookies needs the consent for credentials', () => {
  const messages: PlaywrightMessage[] = [
    {
      guid: 'browser@1',
      method: 'newContext',
      params: { extraHTTPHeaders: [{ name: 'Authorization', value: 'x' }] },
    },
    {
      guid: 'browser@1',
      method: 'newContext',
      params: { httpCredentials: { username: 'a', password: 'b' } },
    },
    { guid: 'browser@1', method: 'newContext', params: { storageState: { cookies: [] } } },
    {
      guid: 'page@1',
      method: 'setExtraHTTPHeaders',
      params: { headers: [{ name: 'cookie', value: 'a=b' }] },
    },
    { guid: 'context@1', method: 'setHTTPCredentials', params: { httpCredentials: { username: 'a' } } },
    { guid: 'context@1', method: 'addCookies', params: { cookies: [{ name: 'a', value: 'b' }] } },
    { guid: 'context@1', method: 'setStorageState', params: { storageState: {} } },
  ]
  for (const message of messages) {
    assert.match(
      refusedMessage(message, { mayUseCredentials: false }) ?? '',
      /scope "credentials"/,
      message.method,
    )
    assert.equal(refusedMessage(message), null, message.method)
  }
  const removed = { guid: 'context@1', method: 'setHTTPCredentials', params: {} }
  assert.equal(refusedMessage(removed, { mayUseCredentials: false }), null)
})

test('the filter of the DevTools protocol decides about the headers of continued requests', () => {
  const headers = [
    { name: 'Authorization', value: 'Bearer of-the-page' },
    { name: 'sec-ch-ua', value: '"Chromium"' },
  ]
  const message = { guid: 'route@1', method: 'continue', params: { headers } }
  assert.equal(refusedMessage(message, { mayBeBrowser: false, mayUseCredentials: false }), null)
})
