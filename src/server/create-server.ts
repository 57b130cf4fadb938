// The HTTP app: what holds for every request, and the faces on it.
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import rateLimit from '@fastify/rate-limit'
import underPressure from '@fastify/under-pressure'
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
import { isWatcher } from './api/firecrawl/watching.ts'
import { routeGroups } from './api/index.ts'
import { type App, type RouteGroup, routeGroupOf } from './app.ts'
import { Gatekeeper, guardRoutes } from './auth.ts'
import { limitBodies } from './bodies.ts'
import { addDashboard } from './dashboard.ts'
import { refuseForeign } from './demo-guard.ts'
import { addDocs, describeApi, loadDocsPage } from './docs.ts'
import { decodeBodies } from './encoded-bodies.ts'
import { OpenAnswers } from './open-answers.ts'
import type { GuardedServer, Log, Server } from './parts.ts'
import { answerProblem, renderProblem } from './problems.ts'
import { QuickAnswers, type QuickParts } from './quick-answers.ts'
import { withLateChildren } from './request-log.ts'
import { reportAnswered, traceRequests } from './request-trace.ts'
import { securityHeadersFor } from './security-headers.ts'
import { cutOffSlowBodies } from './slow-clients.ts'
import { answerText, checkedBy } from './spelling.ts'
import { refuseUndeclared } from './undeclared-fields.ts'
import { answerUnknown, rememberRoutes } from './unknown-routes.ts'
import { keepWithin } from './within-workspace.ts'

const headersTimeoutMs = 15_000

export async function createServer(input: Pick<Server, 'parts' | 'settings'>): Promise<App> {
  const { parts, settings } = input
  const gatekeeper = new Gatekeeper(
    { keys: parts.store.keys, clock: parts.clock, isDemo: parts.isDemo },
    settings,
  )
  const open = new OpenAnswers(parts.store.keys)
  const server: GuardedServer = {
    ...{ parts, settings, forgetKeys: () => gatekeeper.forget() },
    admit: (key, needs) => gatekeeper.admitKey(key, needs),
    quick: new QuickAnswers(),
    open,
  }
  const app = bareApp(server)
  app.addHook('onClose', async () => open[Symbol.dispose]())
  if (parts.isDemo) refuseForeign(app)
  traceRequests(app, parts.traces)
  app.setValidatorCompiler(checkedBy)
  app.setSerializerCompiler(() => answerText)
  app.setReplySerializer(answerText)
  // Also for what goes wrong before a route is found.
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
  const docsPage = await loadDocsPage()
  await protect(app, settings.busyLagMs)
  keepWithin(app, parts.within)
  await describeApi(app, server, routeGroups)
  for (const group of routeGroups)
    await app.register(async scope => addRouteGroup(scope as unknown as App, group, server))
  await addDocs(app, docsPage)
  addDashboard(app, parts.dashboardFolder)
  app.setNotFoundHandler((request, reply) => answerUnknown(routes, routeGroups, request, reply))
  answerQuickly(app, server, gatekeeper)
  return app
}

/** Ahead of the app. Where proxies say how the service was reached, each request has to be looked at. */
function answerQuickly(app: App, { parts, settings, quick }: GuardedServer, gatekeeper: Gatekeeper): void {
  if (settings.trustProxy || isDebugged(parts.log)) return
  const quickParts: QuickParts = {
    clock: parts.clock,
    callerOn: request => gatekeeper.callerOn(request),
    clientRequestId: clientRequestIdOf,
    headers: securityHeadersFor(settings),
    isOff: () => parts.stopping.aborted || app.isUnderPressure(),
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
    // Bodies have a timer of their own: an upload may take its time.
    requestTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
    http: {
      ...{ headersTimeout: headersTimeoutMs, connectionsCheckingInterval: 1_000 },
      // Clients that offer HTTP/2 (h2c) or anything else get a usual answer, as RFC 9110 (7.8) asks.
      shouldUpgradeCallback: request => isWatcher(request) || isBrowserClient(request),
    },
    clientErrorHandler: answerBrokenRequest,
    // Before any hook.
    frameworkErrors: (error, request, reply) => {
      const headed = reply.headers(securityHeaders).header('x-request-id', request.id)
      void answerProblem(error, request, headed, routeGroupOf(routeGroups, request.url)?.renderProblem)
    },
  }).withTypeProvider<ZodTypeProvider>()
  // Bodies are JSON; a face that takes others says so itself.
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

/** A caller's own id is kept beside ours when it can't harm a log or a header. */
function clientRequestIdOf({ headers }: { headers: IncomingMessage['headers'] }): string | null {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : null
}

/** What is no HTTP, or never came to an end. There is no request yet, so there is only the socket to answer on. */
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
  other: ['400 Bad Request', 'it is no HTTP that is understood here', 'request.invalid'],
}

/** Beyond `busyLagMs` the event loop is so late that one more request would only add to it. */
async function protect(app: App, busyLagMs: number): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay: busyLagMs,
    pressureHandler: request => {
      // Whoever asks whether the process is there would otherwise end it for being busy.
      if (request.routeOptions.config.answersWhenBusy) return
      throw new Failure(
        'server.busy',
        'the service has more to do than it can at the moment; ask again a little later',
      )
    },
  })
  await app.register(rateLimit, { global: false, hook: 'preHandler' })
  limitKeys(app)
}

/** After the key was looked at: limits are those of keys. Most have none, and are not kept waiting for it. */
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
    // Most are looks that went well: nobody reads of them, so nothing is put together.
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
