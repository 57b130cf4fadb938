// Authentication and authorization: keys from headers, scopes of routes, workspaces of keys.
import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Settings } from '../config/settings.ts'
import { RecentMap } from '../lib/collections/recent-map.ts'
import { hashOfKey, localKeyPrefix } from '../lib/secrets/api-keys.ts'
import {
  allWorkspaces,
  type Caller,
  defaultWorkspace,
  mayActFor,
  mayDo,
  operatorKeyId,
  type Scope,
} from '../model/access.ts'
import { Failure } from '../model/failures.ts'
import { id } from '../model/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { KeyStore } from '../ports/service-stores.ts'
import type { App } from './app.ts'
import type { OpenResponses } from './http/open-responses.ts'
import { isLoopback } from './loopback.ts'

/** Cache time in milliseconds. A key that another process revoked is still accepted for at most twice this time: first it may
 *  be in the key cache, then in the connection cache. */
const rememberedMs = 2_000
export const rememberedKeys = 1_000

const keyHeaders = ['authorization', 'x-api-key', 'x-service-key'] as const

/** The key headers that a connection sent last, and the caller that they identify. */
interface Line {
  sent: Array<string | string[] | undefined>
  caller: Caller
  until: number
}

export class Gatekeeper {
  readonly #keys: Pick<KeyStore, 'byHash'>
  readonly #clock: Clock
  readonly #given: Buffer[]
  readonly #acceptsLocal: boolean
  /** In demo mode a caller without a key is the operator. In that mode the server accepts only requests from this machine. */
  readonly #isDemo: boolean
  #known = new RecentMap<string, { caller: Caller; until: number }>(rememberedKeys)
  #lines = new WeakMap<object, Line>()

  constructor(
    parts: { keys: Pick<KeyStore, 'byHash'>; clock: Clock; isDemo?: boolean | undefined },
    settings: Settings,
  ) {
    this.#isDemo = parts.isDemo ?? false
    this.#keys = parts.keys
    this.#clock = parts.clock
    this.#given = [settings.apiKey, settings.serviceKey].flatMap(key =>
      key ? [Buffer.from(hashOfKey(key), 'hex')] : [],
    )
    this.#acceptsLocal = isLoopback(settings.host)
  }

  /** Throws if the key lacks access. Returns without a promise if the key was seen recently. */
  admit(request: FastifyRequest, needs: Scope): Caller | Promise<Caller> {
    const known = this.callerOn(request.raw)
    if (known) return reaching(known, needs)
    const key = keyIn(request)
    if (key === null && this.#isDemo) return operator
    if (key === null) throw withoutKey()
    const hash = hashOfKey(key)
    const caller = this.#isGiven(hash) ? operator : this.#callerKnown(hash)
    if (!caller) return this.#callerOf(hash).then(found => reaching(found, needs))
    this.#rememberOnLine(request, caller)
    return reaching(caller, needs)
  }

  /** Finds the caller of a key. For connections without a Fastify request, such as a WebSocket. */
  async admitKey(key: string | null, needs: Scope): Promise<Caller> {
    if (key === null) throw withoutKey()
    const hash = hashOfKey(key)
    const caller = this.#isGiven(hash) ? operator : this.#callerKnown(hash)
    return reaching(caller ?? (await this.#callerOf(hash)), needs)
  }

  /** The caller, if the same connection sent the same key a moment ago; otherwise null. With this check, the key need
   *  not be hashed. */
  callerOn({ socket, headers }: IncomingMessage): Caller | null {
    const line = this.#lines.get(socket)
    if (!line || line.until <= this.#clock.now()) return null
    for (let index = 0; index < keyHeaders.length; index += 1)
      if (headers[keyHeaders[index]!] !== line.sent[index]) return null
    return line.caller
  }

  #rememberOnLine({ raw, headers }: FastifyRequest, caller: Caller): void {
    const sent = keyHeaders.map(name => headers[name])
    this.#lines.set(raw.socket, { sent, caller, until: this.#clock.now() + rememberedMs })
  }

  /** Clears the cache, so that a key that this process revoked is refused at once. */
  forget(): void {
    this.#known = new RecentMap(rememberedKeys)
    this.#lines = new WeakMap()
  }

  #isGiven(hash: string): boolean {
    const asked = Buffer.from(hash, 'hex')
    // Compares with all keys, so that the response time reveals nothing about them.
    return this.#given.filter(given => timingSafeEqual(given, asked)).length > 0
  }

  #callerKnown(hash: string): Caller | null {
    const known = this.#known.get(hash)
    return known && known.until > this.#clock.now() ? known.caller : null
  }

  async #callerOf(hash: string): Promise<Caller> {
    const known = this.#known
    const found = await this.#keys.byHash(hash)
    if (!found || (found.id.startsWith(localKeyPrefix) && !this.#acceptsLocal)) throw unknownKey()
    if (found.revokedAt !== null)
      throw new Failure('request.unauthorized', `key ${found.prefix}… was revoked; use another key`)
    const { id: keyId, workspace, scopes, limits, workspaces } = found
    const caller = { keyId, workspace, scopes, limits, workspaces }
    // `known` is the cache that was in use before the lookup. A revocation replaces the cache. If this key is revoked
    // during the lookup, the entry goes to the old cache and has no effect.
    known.set(hash, { caller, until: this.#clock.now() + rememberedMs })
    return caller
  }
}

const withoutKey = (): Failure =>
  new Failure(
    'request.unauthorized',
    'a key is needed: send "Authorization: Bearer KEY", "X-API-Key: KEY" or "X-Service-Key: KEY"',
  )

const unknownKey = (): Failure => new Failure('request.unauthorized', 'the key is unknown')

/** The operator of the service as a caller. */
export const operator: Caller = {
  keyId: operatorKeyId,
  workspace: defaultWorkspace,
  scopes: ['admin'],
  limits: {},
  workspaces: [allWorkspaces],
}

function reaching(caller: Caller, needs: Scope): Caller {
  if (mayDo(caller.scopes, needs)) return caller
  throw new Failure(
    'request.forbidden',
    `this needs a key with the scope "${needs}"; yours has ${caller.scopes.join(', ')}`,
    { needs },
  )
}

function keyIn({ headers }: FastifyRequest): string | null {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  const named = headers['x-api-key'] ?? headers['x-service-key']
  return bearer ?? (typeof named === 'string' && named !== '' ? named : null)
}

/** The header that selects a workspace, for keys that may act for several. */
const workspaceHeader = 'x-workspace-id'

function workspaceNamed({ headers }: FastifyRequest): string | undefined {
  const named = headers[workspaceHeader]
  return typeof named === 'string' && named !== '' ? named : undefined
}

/** The same caller, acting for another workspace. `path` is the field or header that names the workspace. */
export function actingFor(caller: Caller, workspace: string | undefined, path: string): Caller {
  if (workspace === undefined || workspace === caller.workspace) return caller
  if (mayActFor(caller, workspace)) return { ...caller, workspace: checkedWorkspace(workspace, path) }
  throw new Failure(
    'request.forbidden',
    `${path}: your key may not act for the workspace "${workspace}"; create a key with workspaces: ["${workspace}"] (kscrape keys create --acts-for)`,
    { path },
  )
}

function checkedWorkspace(workspace: string, path: string): string {
  if (id.safeParse(workspace).success) return workspace
  throw new Failure('input.invalid', `${path}: "${workspace.slice(0, 100)}" is not a workspace id`, {
    path,
  })
}

/** Every route must declare its scope, or the server does not start. */
export function guardRoutes(app: App, gatekeeper: Gatekeeper, open: OpenResponses): void {
  app.addHook('onRoute', route => {
    const scope = route.config?.scope
    if (scope === undefined && route.method !== 'HEAD' && route.schema?.hide !== true)
      throw new Error(`route ${route.method} ${route.url} declares no scope: add config: { scope: … }`)
    if (scope !== undefined && scope !== 'open')
      route.onRequest = [guardedBy(gatekeeper, open, scope), ...[route.onRequest ?? []].flat()]
  })
}

const guardedBy =
  (gatekeeper: Gatekeeper, open: OpenResponses, scope: Scope): onRequestHookHandler =>
  (request, reply, done) => {
    const enter = (known: Caller) => {
      const { trace } = request
      const caller = actingFor(known, workspaceNamed(request), workspaceHeader)
      request.caller = { ...caller, requestId: request.id, ...(trace && { traceparent: trace.traceparent }) }
      reply.raw.once(
        'close',
        open.keep(caller, () => reply.raw.destroy()),
      )
      done()
    }
    try {
      const caller = gatekeeper.admit(request, scope)
      if (caller instanceof Promise) caller.then(enter).catch(done)
      else enter(caller)
    } catch (error) {
      done(error as Error)
    }
  }
