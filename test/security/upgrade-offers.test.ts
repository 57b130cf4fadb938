// Tests that an offer to change the protocol is ignored and the request gets its usual response. Java's HttpClient and curl
// --http2 offer h2c.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { WebSocket } from 'ws'
import { operatorKey, TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await TestService.open()
})
after(() => service?.[Symbol.asyncDispose]())

/** The headers that Java's HttpClient and curl send. */
const h2c = [
  'Connection: Upgrade, HTTP2-Settings',
  'Upgrade: h2c',
  'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
]

/** Sends the requests unchanged, one after the other, over one connection. The last request asks the server to close it. */
async function exchange(...requests: string[][]): Promise<string> {
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  const whole = text(socket)
  for (const lines of requests) {
    const answered = once(socket, 'data')
    socket.write(lines.join('\r\n'))
    await answered
  }
  return whole
}

const headersOf = (first: string, ...more: string[]): string[] => [
  first,
  'Host: 127.0.0.1',
  `Authorization: Bearer ${operatorKey}`,
  ...more,
]

const last = headersOf('GET /jobs HTTP/1.1', 'Connection: close', '', '')

test('a GET that offers an upgrade to h2c gets a normal response, and the connection stays open', async () => {
  const answer = await exchange(headersOf('GET /jobs?limit=1 HTTP/1.1', ...h2c, '', ''), last)
  assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200'])
  assert.match(answer, /"jobs":\[/)
})

test('a POST that offers an upgrade to h2c is handled with its whole body', async () => {
  const body = JSON.stringify({ name: 'offered', scopes: ['read'] })
  const more = ['Content-Type: application/json', `Content-Length: ${body.length}`]
  const answer = await exchange(headersOf('POST /keys HTTP/1.1', ...h2c, ...more, '', body), last)
  assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 201', 'HTTP/1.1 200'])
  assert.match(answer, /"name":"offered"/)
})

test('routes with a WebSocket ignore every other kind of upgrade', async () => {
  for (const offer of [
    h2c,
    ['Connection: Upgrade', 'Upgrade: TLS/1.0'],
    ['Connection: Upgrade', 'Upgrade: foo/2'],
  ]) {
    const answer = await exchange(headersOf('GET /v2/crawl/nothing HTTP/1.1', ...offer, '', ''), last)
    assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 404', 'HTTP/1.1 200'])
    assert.match(answer, /"success":false/)
  }
})

test('a WebSocket request to a route without WebSockets gets the usual response, and watchers get their WebSocket', async () => {
  const offer = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]
  const answer = await exchange(headersOf('GET /healthz HTTP/1.1', ...offer, '', ''), last)
  assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 200'])
  const watcher = new WebSocket(`${service.url.replace('http', 'ws')}/v2/crawl/nothing`, operatorKey)
  const [code] = (await once(watcher, 'close')) as [number]
  assert.equal(code, 1_008)
})
