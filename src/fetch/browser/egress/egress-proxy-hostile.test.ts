// Tests the proxy with forbidden targets, bytes that are not HTTP, and broken responses.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  ask,
  openFor,
  openTalker,
  openWebsite,
  sendRaw,
  tunnelTo,
} from '../../../../test/support/proxy-client.ts'
import { ssrfVectors } from '../../../../test/vectors/ssrf.ts'
import { failureHeader } from './egress-proxy.ts'

test('the egress proxy accepts only tunnels and plain HTTP requests in absolute form', async () => {
  await using proxy = await openFor(null)
  const targets = [
    ...['/', '*', 'file:///etc/passwd', 'ftp://example.com/', 'ws://example.com/', 'https://example.com/'],
    ...['http://', 'view-source:http://example.com/', 'data:text/html,x', 'example.com:80'],
  ]
  for (const target of targets) {
    assert.match(
      await sendRaw(proxy, `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`),
      /^HTTP\/1\.1 4(03|22|00)/,
      target,
    )
  }
  for (const authority of [
    'example.com',
    'user@example.com:443',
    'example.com:99999',
    '/',
    ':443',
    'a b:1',
  ]) {
    assert.match(await sendRaw(proxy, tunnelTo(authority)), /^HTTP\/1\.1 4(03|22|00)/, authority)
  }
})

for (const { id, input, reason } of ssrfVectors('static').filter(({ expect }) => expect === 'deny')) {
  test(`${id}: refused as a request and as a tunnel, without a DNS lookup: ${JSON.stringify(input)} (${reason})`, async () => {
    const resolve = async () => assert.fail('DNS was asked')
    await using proxy = await openFor(null, {}, { resolve })
    const authority = /^[^:]*:[\\/]*([^\\/?#]*)/.exec(input)?.[1] ?? input
    const withPort = /:\d+$/.test(authority) ? authority : `${authority}:80`
    const isWeb = /^https?:/i.test(input)
    for (const line of [`GET ${input} HTTP/1.1`, ...(isWeb ? [`CONNECT ${withPort} HTTP/1.1`] : [])]) {
      assert.match(await sendRaw(proxy, `${line}\r\nHost: x\r\n\r\n`), /^HTTP\/1\.1 4/, line)
    }
    assert.equal(proxy.bytes.sent, 0)
  })
}

test('if a response is truncated, the browser sees it as truncated', async () => {
  await using website = await openWebsite((visit, response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('half')
    setImmediate(() => visit.socket.destroy())
  })
  await using proxy = await openFor(website)
  await assert.rejects(ask(proxy, `http://${website.host}/`))
})

test('the egress proxy tolerates the same faulty responses as browsers; any other data counts as a failure of the host', async () => {
  const loose = 'HTTP/1.1 200 OK\nX-Odd: \x01\nContent-Length: 2\n\nok'
  await using talker = await openTalker(socket =>
    socket.once('data', data =>
      socket.end(String(data).startsWith('GET /loose') ? loose : 'SSH-2.0-OpenSSH_9.2\r\n'),
    ),
  )
  await using proxy = await openFor(talker)
  assert.equal((await ask(proxy, `http://${talker.host}/loose`)).body, 'ok')
  assert.equal((await ask(proxy, `http://${talker.host}/ssh`)).headers[failureHeader], 'http.protocol')
})

test('whatever bytes it receives, the egress proxy responds or closes the connection, and continues to serve', async () => {
  await using website = await openWebsite()
  await using proxy = await openFor(website)
  const line = fc.constantFrom(
    ...[`GET http://${website.host}/ HTTP/1.1`, tunnelTo(website.host), 'CONNECT [::', 'GET  HTTP/1.1'],
    ...[
      '\r\n\r\n',
      'Host: x\r\n',
      'Transfer-Encoding: chunked\r\n',
      'Content-Length: -1\r\n',
      '\0\0',
      'ffffffff\r\n',
    ],
  )
  const soup = fc.array(
    fc.oneof(
      line.map(each => Buffer.from(each)),
      fc.uint8Array({ maxLength: 200 }),
    ),
    { maxLength: 8 },
  )
  await fc.assert(
    fc.asyncProperty(soup, parts => sendRaw(proxy, Buffer.concat(parts)).then(() => {})),
    { numRuns: 150 },
  )
  assert.equal((await ask(proxy, `http://${website.host}/`)).status, 200)
})

test('other machines cannot reach the egress proxy', async () => {
  await using proxy = await openFor(null)
  const outside = Object.values(networkInterfaces()).flatMap(each => each ?? [])
  for (const { address, internal } of outside.filter(({ internal }) => !internal)) {
    const socket = connect(proxy.port, address)
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
    assert.notEqual(error.code, undefined, `${address} ${internal}`)
  }
})
