// The service: opens engine, APIs and service loops in one process, from the data directory to the listening port.
import type { AddressInfo } from 'node:net'
import type { Loaded } from '../../config/load.ts'
import type { Settings } from '../../config/settings.ts'
import { systemClock } from '../../lib/clocks.ts'
import { hashOfKey, localKeyPrefix, newApiKey, newKeyId, prefixOfKey } from '../../lib/secrets/api-keys.ts'
import { traceFields } from '../../lib/traces/trace-fields.ts'
import { allWorkspaces, defaultWorkspace, scopes } from '../../model/access.ts'
import { Failure } from '../../model/failures.ts'
import { JobRequests } from '../../observe/job-requests.ts'
import type { ServiceMetrics } from '../../observe/metrics/service-metrics.ts'
import { telemetry } from '../../observe/telemetry.ts'
import type { KeyStore } from '../../ports/service-stores.ts'
import type { Scraper } from '../../scraper/define-scraper.ts'
import { createServer } from '../../server/create-server.ts'
import { isLoopback } from '../../server/loopback.ts'
import type { Log, ServerParts } from '../../server/parts.ts'
import { Engine } from '../engine.ts'
import { DocumentReader } from '../reader/document-reader.ts'
import { openOwnership } from './ownership.ts'
import { openPreviewLooks } from './preview-looks.ts'
import { type ServiceLoop, serviceLoops } from './service-loops.ts'
import { openPreviewReader, partsOf, type ServiceEngine } from './service-parts.ts'
import { type IntakeOwner, runSqsIntake } from './sqs-intake.ts'
import { uploadKeyIn } from './upload-key.ts'
import { openWebSearch } from './web-search.ts'

export interface ServiceOptions {
  log: Log
  /** The command line, which is shown to a user who finds the directory locked. */
  command?: string
  /** Scrapers as code; they run on the main thread. */
  scrapers?: Scraper[]
  lanes?: number
  /** Folder of the built dashboard, if not the default. */
  dashboardFolder?: string | undefined
  /** Folder of the built guide, if not the default. */
  guideFolder?: string | undefined
  /** Replaces the engine of a single process and its service loops. */
  engine?: (stop: AbortSignal) => Promise<ServiceEngine>
  serviceLoops?: readonly ServiceLoop[]
  /** Starts the demo: requests need no key, and the service listens on this machine only. */
  isDemo?: boolean
  /** Metrics of the process that contains the service; otherwise the service creates its own. */
  metrics?: ServiceMetrics | undefined
}

export interface Service extends AsyncDisposable {
  readonly engine: ServiceEngine
  /** The URL that the service listens on, such as `http://127.0.0.1:8001`. */
  readonly url: string
  /** The API key that the service created because it had none; null otherwise. It is shown only once. */
  readonly firstKey: string | null
  /** Resolves when the service has stopped. Rejects if it cannot continue. */
  readonly done: Promise<void>
  /** Accepts no new requests and starts no tasks. Tasks in flight may finish within the grace period; the other tasks are
   *  requeued. */
  stop(): void
}

export async function openService(loaded: Loaded, options: ServiceOptions): Promise<Service> {
  const { settings } = loaded
  const { log, command = 'serve', engine: openEngine, serviceLoops: beside = serviceLoops, ...rest } = options
  const { dashboardFolder, guideFolder, metrics: ofProcess, isDemo = false, ...engineOptions } = rest
  if (isDemo) refuseOpenDemo(settings)
  await using opened = new AsyncDisposableStack()
  const stopping = new AbortController()
  const stop = stopping.signal
  const engine: ServiceEngine = opened.use(
    openEngine
      ? await openEngine(stop)
      : await Engine.open(loaded, {
          command,
          stop,
          stdout: process.stdout,
          lanesOnDemand: true,
          ...engineOptions,
        }),
  )
  const firstKey = isDemo ? null : await firstKeyOf(engine.data.store.keys, settings)
  const uploadKey = await uploadKeyIn(engine.data.path)
  const ownership = opened.use(openOwnership(settings))
  const requests = new JobRequests()
  const jobLog = log.child({ component: 'jobs' })
  const accepted: ServerParts['accepted'] = (job, { requestId, keyId }) => {
    requests.note(job, requestId)
    const ids = { request_id: requestId, job_id: job.id, key_id: keyId }
    jobLog.info({ ...ids, ...traceFields(job.traceparent) }, 'a job was accepted')
  }
  const reader = opened.use(openPreviewReader())
  const documents = opened.use(new DocumentReader(systemClock))
  const looks = opened.use(openPreviewLooks(settings))
  const webSearch = opened.use(openWebSearch(settings))
  const besides = { log, ownership, accepted, reader, documents, looks, webSearch, stopping: stop }
  const own = partsOf(engine, besides, settings, ofProcess)
  const parts = { ...own, uploadKey, dashboardFolder, guideFolder, isDemo }
  const heard = { job: parts.store.jobs.get, requests, isHearsay: engine.signs !== undefined }
  opened.defer(engine.listen(telemetry({ ...parts, ...heard })))
  const app = await createServer({ parts: { ...parts, log: log.child({ component: 'api' }) }, settings })
  opened.defer(() => app.close())
  await listen(app, settings)
  const acting = beside.map(loop => () => loop({ ...parts, settings }, stop))
  // Only in a single process, because in a cluster the SQS intake is a separate role.
  if (!openEngine) acting.push(() => runSqsIntake(intakeOwner(engine, settings, log), stop))
  const running = run(engine, acting, stopping, () => closeServer(app, settings.graceMs))
  // A caller that awaits `done` gets the error. Without such a caller, the rejection must not crash the process.
  running.catch(() => {})
  opened.defer(async () => {
    stopping.abort()
    await running.catch(() => {})
  })
  const all = opened.move()
  return {
    engine,
    url: urlOf(settings.host, (app.server.address() as AddressInfo).port),
    firstKey,
    done: running,
    stop: () => stopping.abort(),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

function refuseOpenDemo({ host }: Settings): void {
  if (isLoopback(host)) return
  throw new Failure(
    'input.invalid',
    `host ${host}: the demo needs no key, so it listens on this machine only; remove the host, or remove --demo`,
  )
}

const intakeOwner = (engine: ServiceEngine, settings: Settings, log: Log): IntakeOwner => ({
  ...{ settings, engine, registry: engine.registry, store: engine.data.store },
  log: log.child({ component: 'jobs' }),
})

/** Runs the engine and the service loops. When the engine ends, the loops end too. */
async function run(
  engine: ServiceEngine,
  serviceLoops: Array<() => Promise<void>>,
  stopping: AbortController,
  close: () => Promise<void>,
): Promise<void> {
  let closing: Promise<void> | null = null
  const onStop = () => {
    closing = close()
  }
  stopping.signal.addEventListener('abort', onStop, { once: true })
  const beside = serviceLoops.map(begin => begin())
  try {
    await engine.serve()
  } finally {
    stopping.abort()
    await Promise.allSettled([...beside, closing])
  }
}

/** Accepts no new connections. Requests in flight may finish within the grace period. Idle connections are closed. */
async function closeServer(app: App, graceMs: number): Promise<void> {
  const idle = setInterval(() => app.server.closeIdleConnections(), 50)
  const late = setTimeout(() => app.server.closeAllConnections(), graceMs)
  await app.close()
  clearInterval(idle)
  clearTimeout(late)
}

/** If there is no key, a service on loopback creates one for the local user. A service on another address refuses to
 *  start. */
export async function firstKeyOf(keys: KeyStore, settings: Settings): Promise<string | null> {
  const isGiven = settings.apiKey !== undefined || settings.serviceKey !== undefined
  const known = (await keys.list()).filter(({ revokedAt }) => revokedAt === null)
  if (!isLoopback(settings.host)) {
    if (isGiven || known.some(({ id }) => !id.startsWith(localKeyPrefix))) return null
    throw new Failure(
      'input.invalid',
      `listening on ${settings.host} needs an API key: set SCRAPER_API_KEY, create a key with \`kscrape keys create\`, or listen on 127.0.0.1`,
      { host: settings.host },
    )
  }
  if (isGiven || known.length > 0) return null
  const key = newApiKey()
  const kept = {
    ...{ id: newKeyId(true), prefix: prefixOfKey(key), name: 'first key', workspace: defaultWorkspace },
    ...{ scopes: [...scopes], limits: {}, workspaces: [allWorkspaces], createdAt: systemClock.now() },
  }
  await keys.add(kept, hashOfKey(key))
  return key
}

type App = Awaited<ReturnType<typeof createServer>>

async function listen(app: App, { host, port }: Settings): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why = reasons[code ?? ''] ?? (cause as Error).message
    throw new Failure('input.invalid', `can't listen on ${host}:${port}: ${why}`, { host, port }, { cause })
  }
}

const reasons: Record<string, string> = {
  EADDRINUSE: 'the port is in use; choose another with --port, or 0 for any free port',
  EACCES: 'permission denied; ports below 1024 need special rights',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'no address has that name',
}

const urlOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`
