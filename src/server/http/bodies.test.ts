// Tests the limits of JSON bodies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import type { App } from '../app.ts'
import { limitBodies, usualBodyBytes } from './bodies.ts'

function appWith(maxBodyBytes: number) {
  const app = fastify()
  app.setErrorHandler((error: { code?: string; statusCode?: number }, _request, reply) =>
    reply.code(error.statusCode ?? 422).send({ code: error.code }),
  )
  limitBodies(app as unknown as App, maxBodyBytes)
  app.post('/small', async request => ({ got: typeof request.body }))
  app.post('/list', { config: { takesLists: true } as never }, async request => ({
    got: typeof request.body,
  }))
  return async (url: string, payload: string) => {
    const answer = await app.inject({
      method: 'POST',
      url,
      payload,
      headers: { 'content-type': 'application/json' },
    })
    return answer.statusCode === 200 ? answer.json().got : answer.json().code
  }
}

test('only routes that accept lists allow large bodies', async () => {
  const post = appWith(1_000_000)
  const large = JSON.stringify({ text: 'x'.repeat(usualBodyBytes) })
  assert.equal(await post('/list', large), 'object')
  assert.equal(await post('/small', large), 'FST_ERR_CTP_BODY_TOO_LARGE')
  const narrow = appWith(100)
  assert.equal(
    await narrow('/small', JSON.stringify({ text: 'x'.repeat(100) })),
    'FST_ERR_CTP_BODY_TOO_LARGE',
  )
})

test('bodies with too many values or too much depth are refused before they are parsed', async () => {
  const post = appWith(10_000_000)
  assert.equal(
    await post('/list', JSON.stringify(Array.from({ length: 100_001 }, () => 1))),
    'request.too-large',
  )
  assert.equal(await post('/list', `${'['.repeat(40_000)}${']'.repeat(40_000)}`), 'request.invalid')
})

test('the key __proto__ is refused in a body, even if it is escaped; other keys are data', async () => {
  const post = appWith(1_000_000)
  assert.equal(await post('/small', '{"__proto__":{"a":1}}'), 'input.invalid')
  assert.equal(await post('/small', '{"a":{"__pr\\u006fto__":1}}'), 'input.invalid')
  assert.equal(await post('/small', '{"constructor":{"prototype":1}}'), 'object')
  assert.equal(await post('/small', '{"text":"__proto__"}'), 'object')
})

test('an empty body counts as no body', async () => {
  assert.equal(await appWith(1_000)('/small', ''), 'undefined')
})
