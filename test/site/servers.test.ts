// Tests the servers that send raw bytes, or have good and bad certificates.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { get } from 'node:https'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { startRawServer, startTlsServer, type TlsServer } from './index.ts'

function send(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(request)
  return text(socket)
}

function getSecurely(server: TlsServer, ca?: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { agent: false, ...(ca ? { ca } : {}) }
    get(`${server.url}/page`, options, response => resolve(response.resume().statusCode ?? 0)).on(
      'error',
      reject,
    )
  })
}

test('a raw server writes its bytes unchanged and closes', async () => {
  await using server = await startRawServer({ '/bad': 'hello\r\n\r\n' })
  assert.equal(await send(server.port, 'GET /bad HTTP/1.1\r\nhost: x\r\n\r\n'), 'hello\r\n\r\n')
  assert.match(await send(server.port, 'GET /other HTTP/1.1\r\n\r\n'), /^HTTP\/1\.1 404 /)
  assert.equal(server.heads[0], 'GET /bad HTTP/1.1\r\nhost: x')
})

test('the response of a raw server can come from a function', async () => {
  await using server = await startRawServer((socket, path) => void socket.end(`you asked for ${path}`))
  assert.equal(await send(server.port, 'GET /a?b HTTP/1.1\r\n\r\n'), 'you asked for /a?b')
})

test('a client that trusts the authority accepts the good certificate, over HTTP/1.1 and HTTP/2', async () => {
  await using server = await startTlsServer({ kind: 'good-with-own-ca' })
  const ca = readFileSync(server.caFile)
  assert.equal(await getSecurely(server, ca), 200)
  await assert.rejects(getSecurely(server), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })

  const session = connectHttp2(server.url, { ca })
  const stream = session.request({ ':path': '/page' })
  assert.match(await text(stream), /HTTP\/2\.0/)
  session.close()
  assert.deepEqual(
    server.requests.map(({ httpVersion }) => httpVersion),
    ['1.1', '2.0'],
  )
})

const refusals = {
  expired: 'CERT_HAS_EXPIRED',
  'wrong-name': 'ERR_TLS_CERT_ALTNAME_INVALID',
  'self-signed': 'DEPTH_ZERO_SELF_SIGNED_CERT',
} as const

for (const kind of ['expired', 'wrong-name', 'self-signed'] as const) {
  test(`a certificate that is ${kind} is refused, even by a client that trusts its authority`, async () => {
    await using server = await startTlsServer({ kind })
    await assert.rejects(getSecurely(server, readFileSync(server.caFile)), { code: refusals[kind] })
    assert.equal(server.requests.length, 0)
  })
}
