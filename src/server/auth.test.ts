// Tests authentication: how a key is found, cached, limited and revoked.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { settingsSchema } from '../config/settings.ts'
import { FakeClock } from '../lib/clocks.ts'
import { localKeyPrefix } from '../lib/secrets/api-keys.ts'
import type { Scope } from '../model/access.ts'
import type { KeyStore } from '../ports/service-stores.ts'
import type { App } from './app.ts'
import { Gatekeeper, guardRoutes, operator, rememberedKeys } from './auth.ts'
import type { OpenResponses } from './http/open-responses.ts'

type Found = NonNullable<Awaited<ReturnType<KeyStore['byHash']>>>

test('a key that is revoked during its lookup is not cached as valid', async () => {
  const key: Found = {
    ...{ id: 'k', prefix: 'ks_k', name: 'k', workspace: 'default', scopes: ['read'], limits: {} },
    ...{ workspaces: [], createdAt: 0, revokedAt: null },
  }
  const first = Promise.withResolvers<Found>()
  const answers = [first.promise, Promise.resolve({ ...key, revokedAt: 1 })]
  const keys = { byHash: async () => (await answers.shift()) ?? null }
  const gatekeeper = new Gatekeeper({ keys, clock: new FakeClock() }, settingsSchema.parse({}))

  const entering = gatekeeper.admitKey('ks_key', 'read')
  gatekeeper.forget()
  first.resolve(key)

  assert.equal((await entering).keyId, 'k')
  await assert.rejects(gatekeeper.admitKey('ks_key', 'read'), { code: 'request.unauthorized' })
})

const keyOf = (change: Partial<Found> = {}): Found => ({
  ...{ id: 'k', prefix: 'ks_k', name: 'k', workspace: 'team', scopes: ['read'], limits: {} },
  ...{ workspaces: [], createdAt: 0, revokedAt: null, ...change },
})

const given = 'the-key-that-came-with-the-process'

function openDoor(found: Found | null = keyOf(), settings: Parameters<typeof settingsSchema.parse>[0] = {}) {
  const clock = new FakeClock()
  let asked = 0
  const byHash = async () => {
    asked++
    return found
  }
  const parsed = settingsSchema.parse({ apiKey: given, ...(settings as object) })
  const gatekeeper = new Gatekeeper({ keys: { byHash }, clock }, parsed)
  const socket = {}
  const enter = async (
    headers: Record<string, string | string[]>,
    needs: Scope = 'read',
    on: object = socket,
  ) => gatekeeper.admit({ headers, raw: { headers, socket: on } } as unknown as FastifyRequest, needs)
  return { clock, gatekeeper, enter, asked: () => asked }
}

test('an API key is accepted in any of the three headers', async () => {
  const { enter } = openDoor()
  for (const headers of [
    { authorization: 'Bearer ks_key' },
    { authorization: 'bearer   ks_key ' },
    { 'x-api-key': 'ks_key' },
    { 'x-service-key': 'ks_key' },
  ])
    assert.equal((await enter(headers, 'read', {})).keyId, 'k', JSON.stringify(headers))
})

test('without a key, or with an invalid header, access is refused', async () => {
  const { enter, gatekeeper, asked } = openDoor()
  for (const headers of [
    {},
    { authorization: 'Basic ks_key' },
    { authorization: 'Bearer' },
    { 'x-api-key': '' },
    { 'x-api-key': ['ks_key', 'ks_other'] },
  ])
    await assert.rejects(
      enter(headers, 'read', {}),
      { code: 'request.unauthorized' },
      JSON.stringify(headers),
    )
  await assert.rejects(gatekeeper.admitKey(null, 'read'), { code: 'request.unauthorized' })
  assert.equal(asked(), 0)
})

test('unknown and revoked keys are refused, and the error shows the first characters of a revoked key', async () => {
  await assert.rejects(openDoor(null).enter({ 'x-api-key': 'ks_key' }), { code: 'request.unauthorized' })
  const revoked = openDoor(keyOf({ revokedAt: 1 }))
  await assert.rejects(revoked.enter({ 'x-api-key': 'ks_key' }), { message: /ks_k…/ })
})

test('a key may use only its scopes, even if the key is cached', async () => {
  const { enter, asked } = openDoor(keyOf({ scopes: ['read'] }))
  const headers = { 'x-api-key': 'ks_key' }
  await assert.rejects(enter(headers, 'admin'), { code: 'request.forbidden' })
  await enter(headers, 'read')
  await assert.rejects(enter(headers, 'admin'), { code: 'request.forbidden' })
  await enter(headers, 'read')
  await assert.rejects(enter(headers, 'admin'), { code: 'request.forbidden' })
  assert.equal(asked(), 1)
})

test('a key is read from the store again after two seconds', async () => {
  const { clock, enter, asked } = openDoor()
  const headers = { 'x-api-key': 'ks_key' }
  await enter(headers)
  clock.advance(1_999)
  await enter(headers, 'read', {})
  assert.equal(asked(), 1)
  clock.advance(1)
  await enter(headers, 'read', {})
  assert.equal(asked(), 2)
})

test('the caller of a connection is cached for two seconds, and only while the headers stay the same', async () => {
  const { clock, gatekeeper, enter } = openDoor()
  const socket = {}
  const on = (headers: Record<string, string>, line: object = socket) =>
    gatekeeper.callerOn({ socket: line, headers } as unknown as IncomingMessage)
  const headers = { 'x-api-key': given }
  assert.equal(on(headers), null)
  await enter(headers, 'admin', socket)
  assert.equal(on(headers), operator)
  assert.equal(on({ 'x-api-key': 'ks_other' }), null)
  assert.equal(on({ ...headers, authorization: 'Bearer ks_other' }), null)
  assert.equal(on(headers, {}), null)
  clock.advance(2_000)
  assert.equal(on(headers), null)
})

test('a local revocation clears the cache at once', async () => {
  const { gatekeeper, enter, asked } = openDoor()
  const headers = { 'x-api-key': 'ks_key' }
  await enter(headers)
  await enter(headers)
  gatekeeper.forget()
  await enter(headers)
  assert.equal(asked(), 2)
})

test('the operator’s key (SCRAPER_API_KEY) is accepted without a lookup in the store', async () => {
  const { enter, gatekeeper, asked } = openDoor(null)
  assert.equal(await enter({ authorization: `Bearer ${given}` }, 'admin'), operator)
  assert.equal(await gatekeeper.admitKey(given, 'admin'), operator)
  assert.equal(asked(), 0)
})

test('a local key is accepted only if the service listens on loopback alone', async () => {
  const local = keyOf({ id: `${localKeyPrefix}1` })
  const headers = { 'x-api-key': 'ks_key' }
  assert.equal((await openDoor(local, { host: '127.0.0.1' }).enter(headers)).workspace, 'team')
  await assert.rejects(openDoor(local, { host: '0.0.0.0' }).enter(headers), { code: 'request.unauthorized' })
  assert.equal((await openDoor(keyOf(), { host: '0.0.0.0' }).enter(headers)).keyId, 'k')
})

/** Registers a route as Fastify does, and returns the hooks that run before its handler. */
function guarded(
  route: Record<string, unknown>,
  gatekeeper = openDoor().gatekeeper,
  open: Pick<OpenResponses, 'keep'> = { keep: () => () => {} },
) {
  let hook: ((route: Record<string, unknown>) => void) | undefined
  const app = {
    addHook: (_name: string, given: typeof hook) => {
      hook = given
    },
  } as unknown as App
  guardRoutes(app, gatekeeper, open as OpenResponses)
  hook!(route)
  return (route.onRequest ?? []) as Array<
    (request: unknown, reply: unknown, done: (error?: Error) => void) => void
  >
}

test('the service does not start with a route that does not declare who may call it', () => {
  assert.throws(() => guarded({ method: 'GET', url: '/x' }), /GET \/x declares no scope/)
  assert.deepEqual(guarded({ method: 'HEAD', url: '/x' }), [])
  assert.deepEqual(guarded({ method: 'GET', url: '/x', schema: { hide: true } }), [])
})

test('a public route has no guard; on any other route the guard runs before the route’s own hooks', () => {
  const own = () => {}
  assert.deepEqual(guarded({ method: 'GET', url: '/x', config: { scope: 'open' }, onRequest: own }), own)
  const hooks = guarded({ method: 'GET', url: '/x', config: { scope: 'read' }, onRequest: own })
  assert.equal(hooks.length, 2)
  assert.equal(hooks[1], own)
})

test('the guard stores the caller with the request id and the trace, or refuses the request with a reason', async () => {
  const [guard] = guarded({ method: 'GET', url: '/x', config: { scope: 'read' } })
  const passing = (headers: object, more: object = {}) =>
    new Promise<{ error: Error | undefined; request: { caller?: Record<string, unknown> } }>(resolve => {
      const raw = { headers, socket: {} }
      const request = Object.assign({ id: 'r1', headers, raw }, more) as { caller?: Record<string, unknown> }
      guard!(request, { raw: { once: () => {} } }, error => resolve({ error, request }))
    })
  const looked = await passing({ 'x-api-key': 'ks_key' }, { trace: { traceparent: 't' } })
  assert.deepEqual(
    [looked.error, looked.request.caller?.requestId, looked.request.caller?.traceparent],
    [undefined, 'r1', 't'],
  )
  const at = await passing({ 'x-api-key': given })
  assert.equal(at.request.caller?.keyId, 'operator')
  assert.equal('traceparent' in at.request.caller!, false)
  assert.match((await passing({})).error!.message, /a key is needed/)
})

test('an open response of a caller is tracked until it closes, and can be aborted', () => {
  const log: string[] = []
  let cut = () => {}
  const keep: OpenResponses['keep'] = (caller, end) => {
    log.push(`kept for ${caller.keyId}`)
    cut = end
    return () => log.push('forgotten')
  }
  const [guard] = guarded({ method: 'GET', url: '/x', config: { scope: 'read' } }, undefined, { keep })
  const headers = { 'x-api-key': given }
  const raw = Object.assign(new EventEmitter(), { destroy: () => log.push('cut') })
  guard!({ id: 'r1', headers, raw: { headers, socket: {} } }, { raw }, () => log.push('goes on'))
  cut()
  raw.emit('close')
  assert.deepEqual(log, ['kept for operator', 'goes on', 'cut', 'forgotten'])
})

test('a connection keeps its caller, even if its key was evicted from the cache', async () => {
  const { enter, asked } = openDoor()
  await enter({ 'x-api-key': 'ks_key' })
  await enter({ 'x-api-key': 'ks_key' })
  for (let other = 0; other < rememberedKeys; other += 1)
    await enter({ 'x-api-key': `ks_${other}` }, 'read', {})
  const before = asked()
  await enter({ 'x-api-key': 'ks_key' })
  assert.equal(asked(), before)
  await enter({ 'x-api-key': 'ks_key' }, 'read', {})
  assert.equal(asked(), before + 1)
})
