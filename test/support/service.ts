// A service with its own data directory, called over a real socket. A suite may also run with the services of a cluster.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SettingsInput, settingsSchema } from '../../src/config/settings.ts'
import { Redactor } from '../../src/lib/secrets/redactor.ts'
import { openLog } from '../../src/observe/logging.ts'
import { openService, type Service } from '../../src/roles/service/service.ts'
import type { Scraper } from '../../src/scraper/define-scraper.ts'
import { clusterSet, onCluster, openClusterService } from './cluster-set.ts'

export interface TestServiceOptions {
  settings?: SettingsInput
  scrapers?: Scraper[]
  /** The log level, by default `debug`. Only at `info`, frequent status requests get cached responses. */
  logLevel?: 'debug' | 'info'
  /** Values that must not be logged. */
  secrets?: string[]
  /** The folder of the built dashboard. */
  dashboardFolder?: string
  guideFolder?: string
  /** True for a demo service, which needs no key and accepts only requests of this machine. */
  isDemo?: boolean
}

export interface Answer<Body = Record<string, unknown>> {
  status: number
  headers: Headers
  /** The body of the response, if it is JSON. */
  body: Body
  text: string
}

export interface Ask {
  method?: string
  body?: unknown
  /** A body that is sent unchanged, instead of `body`. */
  raw?: string | Uint8Array
  headers?: Record<string, string>
  /** The key for the request. The default is the operator's key; null sends none. */
  key?: string | null
}

export const operatorKey = 'the-key-of-these-tests'

export class TestService implements AsyncDisposable {
  readonly service: Service
  readonly folder: string
  /** The parsed lines of the log. */
  readonly logged: Array<Record<string, unknown>>

  private constructor(service: Service, folder: string, logged: Array<Record<string, unknown>>) {
    this.service = service
    this.folder = folder
    this.logged = logged
  }

  /** With `folder`, the service continues with the data of an earlier service. */
  static async open(options: TestServiceOptions = {}, folder?: string): Promise<TestService> {
    const path = folder ?? (await mkdtemp(join(tmpdir(), 'kscrape-service-')))
    const wanted = {
      ...{ sweepMs: 20, graceMs: 2_000, dataDir: path, port: 0, apiKey: operatorKey, lanes: 0 },
      // The service must not refuse requests because the machine is busy.
      busyLagMs: 0,
      ...options.settings,
    }
    const set = clusterSet()
    const settings = set ? await onCluster(set, wanted) : settingsSchema.parse(wanted)
    const secrets = new Redactor()
    for (const secret of options.secrets ?? []) secrets.add(secret)
    const logged: Array<Record<string, unknown>> = []
    const log = openLog({
      level: options.logLevel ?? 'debug',
      secrets,
      write: line => void logged.push(JSON.parse(line)),
    })
    const open = set ? openClusterService : openService
    const service = await open(
      { settings, root: path, configFile: null },
      {
        ...{ log, command: 'test', scrapers: options.scrapers ?? [], isDemo: options.isDemo ?? false },
        ...(options.dashboardFolder !== undefined && { dashboardFolder: options.dashboardFolder }),
        ...(options.guideFolder !== undefined && { guideFolder: options.guideFolder }),
      },
    )
    return new TestService(service, path, logged)
  }

  get url(): string {
    return this.service.url
  }

  async ask<Body = Record<string, unknown>>(path: string, ask: Ask = {}): Promise<Answer<Body>> {
    const { body, raw, headers, key = operatorKey } = ask
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(`${this.url}${path}`, {
      method: ask.method ?? (sent === undefined ? 'GET' : 'POST'),
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent as BodyInit }),
    })
    const text = await response.text()
    const isJson =
      response.headers.get('content-type')?.includes('json') &&
      !response.headers.get('content-type')?.includes('ndjson')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : null) as Body,
    }
  }

  /** Submits a job, and throws if it is not accepted. */
  async submit(body: Record<string, unknown>, ask: Ask = {}): Promise<string> {
    const answer = await this.ask<{ job_id: string }>('/jobs', { ...ask, body })
    if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`)
    return answer.body.job_id
  }

  /** Follows the events of a job until it has ended, and returns its last status. */
  async ended(jobId: string, ask: Ask = {}): Promise<Record<string, unknown>> {
    await this.ask(`/jobs/${jobId}/events`, ask)
    return (await this.ask(`/jobs/${jobId}/status`, ask)).body
  }

  /** Creates a key with these scopes, in this workspace. */
  async key(wanted: Record<string, unknown> = {}): Promise<string> {
    const { body } = await this.ask<{ key: string }>('/keys', { body: wanted })
    return body.key
  }

  /** Closes the service, and keeps its data for the next service. */
  async close(): Promise<void> {
    await this.service[Symbol.asyncDispose]()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}
