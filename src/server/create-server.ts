// Builds the HTTP app: hooks that apply to every request, and the route groups.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import rateLimit from '@fastify/rate-limit'
import fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type onResponseHookHandler,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { Failure } from '../model/failures.ts'
import { isBrowserClient } from './api/browsers/sockets.ts'
import { isWatcher } from './api/firecrawl/job-socket.ts'
import { routeGroups } from './api/index.ts'
import { type App, type RouteGroup, routeGroupOf } from './app.ts'
import { Gatekeeper, guardRoutes } from './auth.ts'
import { BuiltFiles, builtFolder } from './built-files.ts'
import { refuseForeign } from './demo-guard.ts'
import { limitBodies } from './http/bodies.ts'
import { CachedResponses, type CacheParts } from './http/cached-responses.ts'
import { decodeBodies } from './http/encoded-bodies.ts'
import { answerText, checkedBy } from './http/letter-case.ts'
import { OpenResponses } from './http/open-responses.ts'
import { refuseWhenLate } from './http/overload.ts'
import { answerProblem, renderProblem } from './http/problems.ts'
import { withLateChildren } from './http/request-log.ts'
import { reportAnswered, traceRequests } from './http/request-trace.ts'
import { securityHeadersFor } from './http/security-headers.ts'
import { cutOffSlowBodies } from './http/slow-clients.ts'
import { refuseUndeclared } from './http/undeclared-fields.ts'
import { answerUnknown, rememberRoutes } from './http/unknown-routes.ts'
import { keepWithin } from './http/within-workspace.ts'
import { addBotPage } from './pages/bot-page.ts'
import { addDashboard } from './pages/dashboard.ts'
import { addDocs, describeApi } from './pages/docs.ts'
import { addGuide } from './pages/guide.ts'
import type { GuardedServer, Log, Server } from './parts.ts'

const headersTimeoutMs = 15_000

export async function createServer(input: Pick<Server, 'parts' | 'settings'>): Promise<App> {
  const { parts, settings } = input
  const gatekeeper = new Gatekeeper(
    { keys: parts.store.keys, clock: parts.clock, isDemo: parts.isDemo },
    settings,
  )
  const open = new OpenResponses(parts.store.keys)
  const server: GuardedServer = {
    ...{ parts, settings, forgetKeys: () => gatekeeper.forget() },
    admit: (key, needs) => gatekeeper.admitKey(key, needs),
    callerOf: async request => {
      try {
        return await gatekeeper.admit(request, 'read')
      } catch {
        return null
      }
    },
    quick: new CachedResponses(),
    open,
  }
  const app = bareApp(server)
  app.addHook('onClose', async () => open[Symbol.dispose]())
  if (parts.isDemo) refuseForeign(app)
  traceRequests(app, parts.traces)
  app.setValidatorCompiler(checkedBy)
  app.setSerializerCompiler(() => answerText)
  app.setReplySerializer(answerText)
  // Also handles errors that occur before routing.
  app.setErrorHandler((error, request, reply) =>
    answerProblem(error, request, reply, routeGroupOf(routeGroups, request.url)?.renderProblem),
  )
  const routes = rememberRoutes(app)
  limitBodies(app, settings.maxBodyBytes)
  guardRoutes(app, gatekeeper, open)
  refuseUndeclared(app)
  decodeBodies(app)
  cutOffSlowBodies(app, settings.bodyTimeoutMs, routeGroups)
  reportAnswers(app, server)
  const isLate = refuseWhenLate(app, settings.busyLagMs)
  await protect(app)
  keepWithin(app, parts.within)
  await describeApi(app, server, routeGroups)
  for (const group of routeGroups)
    await app.register(async scope => addRouteGroup(scope as unknown as App, group, server))
  const files = new BuiltFiles(parts.dashboardFolder ?? builtFolder('dashboard'))
  addDocs(app, server, files)
  addBotPage(app, server)
  addDashboard(app, files)
  addGuide(app, new BuiltFiles(parts.guideFolder ?? builtFolder('guide')))
  app.setNotFoundHandler((request, reply) => answerUnknown(routes, routeGroups, request, reply))
  answerQuickly(app, server, gatekeeper, isLate)
  return app
}

/** Sends cached responses before the app handles a request. The cache is off behind proxies, because their headers must be
 *  checked for every request. It is also off if every response is logged. */
function answerQuickly(
  app: App,
  { parts, settings, quick }: GuardedServer,
  gatekeeper: Gatekeeper,
  isLate: () => boolean,
): void {
  if (settings.trustProxy || isDebugged(parts.log)) return
  const quickParts: CacheParts = {
    clock: parts.clock,
    callerOn: request => gatekeeper.callerOn(request),
    clientRequestId: clientRequestIdOf,
    headers: securityHeadersFor(settings),
    isOff: () => parts.stopping.aborted || isLate(),
    answered: (route, durationMs) =>
      parts.metrics.answered({ method: 'GET', route, status: 200, durationMs }),
  }
  const wholeWay = app.server.listeners('request') as RequestListener[]
  app.server.removeAllListeners('request')
  app.server.on('request', (request, response) => {
    if (quick.give(quickParts, request, response)) return
    for (const listener of wholeWay) listener.call(app.server, request, response)
  })
}

const isDebugged = ({ level }: Pick<Log, 'level'>): boolean => ['debug', 'trace'].includes(level)

function bareApp({ parts, settings }: Server): App {
  const securityHeaders = securityHeadersFor(settings)
  const app = fastify({
    loggerInstance: withLateChildren(parts.log) as unknown as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    trustProxy: settings.trustProxy,
    // Bodies have their own timer, because an upload may take long.
    requestTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
    http: {
      ...{ headersTimeout: headersTimeoutMs, connectionsCheckingInterval: 1_000 },
      // Clients that offer HTTP/2 (h2c) or another upgrade get a normal response, as RFC 9110 (7.8) requires.
      shouldUpgradeCallback: request => isWatcher(request) || isBrowserClient(request),
    },
    clientErrorHandler: answerBrokenRequest,
    // Handles errors that occur before any hook runs, so it sets the headers itself.
    frameworkErrors: (error, request, reply) => {
      const headed = reply.headers(securityHeaders).header('x-request-id', request.id)
      void answerProblem(error, request, headed, routeGroupOf(routeGroups, request.url)?.renderProblem)
    },
  }).withTypeProvider<ZodTypeProvider>()
  // Only JSON bodies are accepted. A route group with other bodies adds its own parser.
  app.removeContentTypeParser('text/plain')
  app.decorateRequest('clientRequestId', null)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders).header('x-request-id', request.id)
    const theirs = clientRequestIdOf(request)
    if (theirs !== null) {
      request.clientRequestId = theirs
      request.log = reply.log = request.log.child({ client_request_id: theirs })
      reply.header('x-client-request-id', theirs)
    }
    done()
  })
  return app as unknown as App
}

/** The request id that the caller sent; null if there is none, or if it is not safe for logs and headers. */
function clientRequestIdOf({ headers }: { headers: IncomingMessage['headers'] }): string | null {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : null
}

/** Answers input that is not HTTP or is incomplete. There is no request object, so the response is written to the socket. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, words, code] = brokenRequests[error.code ?? ''] ?? brokenRequests.other!
  const id = randomUUID()
  const message = `the request can't be read: ${words}`
  const body = JSON.stringify({ error: { code, message, request_id: id } })
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-ID: ${id}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

const brokenRequests: Record<string, [status: string, words: string, code: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'it took too long to arrive', 'request.too-slow'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'its headers are too long', 'request.invalid'],
  other: ['400 Bad Request', 'it is not valid HTTP', 'request.invalid'],
}

async function protect(app: App): Promise<void> {
  await app.register(rateLimit, { global: false, hook: 'preHandler' })
  limitKeys(app)
}

/** Applies the rate limits of keys, after authentication. Requests of keys without a limit are not counted. */
function limitKeys(app: App): void {
  const count = app.createRateLimit({
    timeWindow: 60_000,
    max: request => request.caller.limits.requestsPerMinute ?? 0,
    keyGenerator: request => request.caller.keyId,
  })
  app.addHook('preHandler', (request, reply, done) => {
    if (request.caller?.limits.requestsPerMinute === undefined) return done()
    count(request).then(counted => {
      if (counted.isAllowed) return done()
      const { max, remaining, ttl, ttlInSeconds, isExceeded } = counted
      reply.headers({
        ...{ 'x-ratelimit-limit': max, 'x-ratelimit-remaining': remaining },
        'x-ratelimit-reset': ttlInSeconds,
      })
      done(isExceeded ? tooMany(max, ttl) : undefined)
    }, done)
  })
}

const tooMany = (max: number, ttl: number): Failure =>
  new Failure('request.too-many', `this key may send ${max} requests a minute`, { retryAfterMs: ttl })

function addRouteGroup(app: App, group: RouteGroup, server: GuardedServer): void {
  const render = group.renderProblem ?? renderProblem
  app.setErrorHandler((error, request, reply) => answerProblem(error, request, reply, render))
  app.addHook('onRoute', route => {
    route.schema = { tags: [group.name], ...route.schema }
  })
  group.addRoutes(app, server)
}

function reportAnswers(app: App, { parts }: Server): void {
  const tellsAll = isDebugged(parts.log)
  const tell = (request: FastifyRequest, reply: FastifyReply, route: string) => {
    const { statusCode: status, elapsedTime } = reply
    const durationMs = Math.round(elapsedTime * 10) / 10
    const traceparent = reportAnswered(parts, request, reply, route)
    parts.metrics.answered({ method: request.method, route, status, durationMs, traceparent })
    const level = levelOf(status, request.method)
    // Successful GET requests are logged at debug level only, so their log line is usually not built.
    if (level !== 'debug' || tellsAll)
      request.log[level]({ ...logFields(request), route, status, duration_ms: durationMs }, 'answered')
  }
  app.addHook('onRoute', route => {
    const told: onResponseHookHandler = (request, reply, done) => {
      tell(request, reply, route.url)
      done()
    }
    route.onResponse = [...[route.onResponse ?? []].flat(), told]
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) tell(request, reply, 'unknown')
    done()
  })
}

function levelOf(status: number, method: string): 'error' | 'info' | 'debug' {
  if (status >= 500) return 'error'
  return status >= 400 || method !== 'GET' ? 'info' : 'debug'
}

function logFields(request: FastifyRequest): Record<string, unknown> {
  const { jobId } = (request.params ?? {}) as { jobId?: unknown }
  return {
    method: request.method,
    key_id: request.caller?.keyId,
    ...(typeof jobId === 'string' && { job_id: jobId }),
  }
}
