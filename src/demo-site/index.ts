// A made-up shop for trials and tests. It is the same on every machine, runs on plain Node, and needs no network.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Failure } from '../model/failures.ts'
import { catalogueOf } from './catalogue.ts'
import { misbehavingRoutes } from './misbehaving/index.ts'
import { almanacRoutes } from './pages/almanac.ts'
import { applicationRoutes } from './pages/application.ts'
import { blogRoutes } from './pages/blog.ts'
import { changingRoutes } from './pages/changing.ts'
import { companyRoutes } from './pages/company.ts'
import { fileRoutes } from './pages/files.ts'
import { machineRoutes } from './pages/for-machines.ts'
import { homeRoutes } from './pages/home.ts'
import { notFound } from './pages/not-found.ts'
import { playgroundRoutes } from './pages/playground.ts'
import { probeRoutes } from './pages/probe.ts'
import { shopRoutes } from './pages/products.ts'
import { treasurerRoutes } from './pages/treasurer.ts'
import { nowMs, openRequestLog, type RequestLogEntry } from './request-log.ts'
import { type Answer, type Route, routeTable, type Visit } from './route.ts'
import { send } from './send.ts'
import { readVisit } from './visit.ts'

export type { RequestLogEntry } from './request-log.ts'
export type { Answer, Route, Visit } from './route.ts'

export interface DemoSiteOptions {
  /** Port to listen on. 0 (default) takes any free port. */
  port?: number
  host?: string
  products?: number
  /** The crawl delay in robots.txt; 0 omits the line. */
  crawlDelaySeconds?: number
  /** Adds the pages that `/misbehaving/` lists: loops, bombs, traps, broken responses. */
  misbehave?: boolean
  /** Additional routes. They take precedence over the site's own. */
  routes?: readonly Route[]
  /** Called before the route table. If it returns `undefined`, the table decides. */
  intercept?: (visit: Visit) => Answer | undefined | Promise<Answer | undefined>
  /** Maximum number of requests that `requests` contains. */
  maxLoggedRequests?: number
  /** Called for each request when it has ended. */
  log?: (entry: RequestLogEntry) => void
}

export interface DemoSite extends AsyncDisposable {
  /** The URL of the site, without a trailing slash: `${site.url}/products`. */
  url: string
  host: string
  port: number
  /** The latest requests, oldest first. */
  requests: RequestLogEntry[]
  /** Closes all connections, even those without a response yet. */
  close(): Promise<void>
}

export async function startDemoSite(options: DemoSiteOptions = {}): Promise<DemoSite> {
  const { host = '127.0.0.1', port = 0, maxLoggedRequests = 10_000, log = () => {} } = options
  const requests = openRequestLog(maxLoggedRequests, log)
  const answer = answerer(options)
  const server = createServer((request, response) => {
    const entry = requests.begin(request, response)
    answer(request, response, entry).catch(error => breakOff(response, error))
  })
  // Longer than any crawler keeps an idle socket, in milliseconds. So the site never closes a connection just when a client sends
  // a request.
  server.keepAliveTimeout = 120_000
  await listen(server, port, host)
  return describe(server, host, requests.entries)
}

function describe(server: Server, host: string, requests: RequestLogEntry[]): DemoSite {
  const { port } = server.address() as AddressInfo
  const close = () => closeServer(server)
  const name = host.includes(':') ? `[${host}]` : host
  return { url: `http://${name}:${port}`, host, port, requests, close, [Symbol.asyncDispose]: close }
}

function siteRoutes(options: DemoSiteOptions): Route[] {
  const catalogue = catalogueOf(options.products ?? 200)
  return [
    ...(options.routes ?? []),
    ...homeRoutes(catalogue),
    ...shopRoutes(catalogue),
    ...blogRoutes,
    ...companyRoutes,
    ...applicationRoutes(catalogue),
    ...treasurerRoutes,
    ...almanacRoutes,
    ...probeRoutes,
    ...playgroundRoutes,
    ...changingRoutes(),
    ...machineRoutes(catalogue, { crawlDelaySeconds: options.crawlDelaySeconds ?? 0.1 }),
    ...fileRoutes,
    ...(options.misbehave ? misbehavingRoutes() : []),
  ]
}

function answerer(options: DemoSiteOptions) {
  const find = routeTable(siteRoutes(options))
  const counts = new Map<string, number>()

  async function decide(visit: Visit): Promise<Answer> {
    const intercepted = await options.intercept?.(visit)
    if (intercepted) return intercepted
    const found = find(visit.url.pathname)
    return found ? found.answer(visit, ...found.params) : notFound(visit)
  }

  return async (
    request: IncomingMessage,
    response: ServerResponse,
    entry: RequestLogEntry,
  ): Promise<void> => {
    const gone = goneSignal(response)
    const visit = await readVisit(request, counts)
    const answer = visit ? await decide(visit) : badRequest
    entry.startedAt = nowMs()
    if (typeof answer === 'function') await answer(response, gone)
    else send(response, request, answer)
  }
}

const badRequest: Answer = {
  status: 400,
  headers: { 'content-type': 'text/plain', connection: 'close' },
  body: 'Bad request\n',
}

/** A client that disconnects is normal. Any other error is a bug of the site, so the response shows its message. */
function breakOff(response: ServerResponse, error: Error): void {
  if (response.closed || response.headersSent) return void response.destroy()
  response.writeHead(500, { 'content-type': 'text/plain', connection: 'close' }).end(`${error.message}\n`)
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return gone.signal
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const message = `The demo site cannot listen on ${host}:${port} (${cause.code}); choose another port, 0 takes any free one`
      reject(new Failure('input.invalid', message, { host, port }, { cause }))
    })
    server.listen(port, host, resolve)
  })
}

function closeServer(server: Server): Promise<void> {
  return new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
