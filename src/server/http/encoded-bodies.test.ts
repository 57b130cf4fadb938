// Tests bodies with a content encoding.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fastify from 'fastify'
import type { App } from '../app.ts'
import { decodeBodies } from './encoded-bodies.ts'

function appWith(bodyLimit = 1_000) {
  const app = fastify({ bodyLimit })
  app.setErrorHandler((error: { code?: string; message: string; statusCode?: number }, _request, reply) =>
    reply.code(error.statusCode ?? 415).send({ code: error.code, message: error.message }),
  )
  decodeBodies(app as unknown as App)
  app.post('/', async request => ({ got: request.body }))
  return app
}
const post = (payload: Buffer, encoding: string, bodyLimit?: number) =>
  appWith(bodyLimit).inject({
    ...{ method: 'POST', url: '/', payload },
    headers: { 'content-type': 'application/json', 'content-encoding': encoding },
  })
const json = (value: unknown) => Buffer.from(JSON.stringify(value))

test('a body in gzip is decompressed, and a body without an encoding is used as it is', async () => {
  for (const encoding of ['gzip', 'X-GZIP', ' gzip ']) {
    const answer = await post(gzipSync(json({ a: 1 })), encoding)
    assert.deepEqual([answer.statusCode, answer.json()], [200, { got: { a: 1 } }], encoding)
  }
  assert.deepEqual((await post(json({ a: 1 }), 'identity')).json(), { got: { a: 1 } })
})

test('another content encoding is refused, and the error names the accepted ones', async () => {
  const answer = await post(json({}), 'br')
  assert.equal(answer.json().code, 'request.unsupported')
  assert.match(String(answer.headers['accept-encoding']), /gzip/)
})

test('the size limit applies to the decompressed body', async () => {
  const bomb = gzipSync(json({ a: 'x'.repeat(1_000_000) }))
  assert.ok(bomb.length < 5_000)
  assert.equal((await post(bomb, 'gzip', 5_000)).statusCode, 413)
})

test('a body that is not gzip is an error of the client', async () => {
  const answer = await post(Buffer.from('no gzip at all'), 'gzip')
  assert.notEqual(answer.statusCode, 200)
  assert.match(answer.json().message, /gzip/)
})
