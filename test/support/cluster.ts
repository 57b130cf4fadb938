// A cluster for one test: real PostgreSQL, Redis and S3, with roles in this process or in separate processes.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openPostgresStore } from '../../src/adapters/postgres/open.ts'
import { settingsSchema } from '../../src/config/settings.ts'
import { EgressGate } from '../../src/fetch/http/index.ts'
import { systemClock } from '../../src/lib/clocks.ts'
import { givenSpec, hasEnded, type Job, type JobSpecInput } from '../../src/model/job.ts'
import { type SubmitOptions, submitJob } from '../../src/pipeline/submit/submit-job.ts'
import type { Blobs } from '../../src/ports/blobs.ts'
import type { Store } from '../../src/ports/store.ts'
import { openBlobs } from '../../src/roles/cluster/services.ts'
import { Registry } from '../../src/scraper/registry.ts'
import { found, patienceMs, eventually as until } from './eventually.ts'
import { programEnv } from './program-env.ts'
import { startPostgres, type TestPostgres } from './services/postgres.ts'
import { startRedis, type TestRedis } from './services/redis.ts'
import { startS3, type TestS3 } from './services/s3.ts'

export { eventually as until } from './eventually.ts'

const program = join(import.meta.dirname, '../../src/cli/kscrape.ts')

export interface RoleProcess {
  child: ChildProcess
  /** The output of the process so far. */
  output: () => string
  kill(signal?: NodeJS.Signals): Promise<number | null>
}

export interface Services {
  postgres: TestPostgres
  redis: TestRedis
  s3: TestS3
}

/** Opens fault proxies in front of the services, and returns the settings with which processes use the proxies. */
export type Front = (services: Services, env: Record<string, string>) => Promise<Record<string, string>>

export class TestCluster implements AsyncDisposable {
  readonly postgres: TestPostgres
  readonly redis: TestRedis
  readonly s3: TestS3
  readonly env: Record<string, string>
  readonly store: Store
  readonly folder: string
  readonly #sql: pg.Pool
  readonly #running = new Set<RoleProcess>()

  private constructor(
    services: Services,
    parts: { url: string; env: Record<string, string>; store: Store; folder: string },
  ) {
    this.postgres = services.postgres
    this.redis = services.redis
    this.s3 = services.s3
    this.env = parts.env
    this.store = parts.store
    this.folder = parts.folder
    this.#sql = new pg.Pool({ connectionString: parts.url, max: 2 })
    this.#sql.on('error', () => {})
    // A test run that is aborted must not leave processes behind.
    process.once('exit', () => {
      for (const { child } of this.#running) child.kill('SIGKILL')
    })
    process.once('SIGTERM', () => process.exit(143))
  }

  /** Opens a cluster with short leases and sweeps, so that lost work is found soon. */
  static async open(
    settings: Record<string, string> = {},
    front: Front = async () => ({}),
  ): Promise<TestCluster> {
    const [postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startS3()])
    const folder = await mkdtemp(join(tmpdir(), 'kscrape-cluster-'))
    const url = await postgres.freshUrl()
    const env = {
      DATABASE_URL: url,
      REDIS_URL: redis.url,
      S3_ENDPOINT: s3.url,
      S3_BUCKET: await s3.freshBucket(),
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      SCRAPER_DATA_DIR: join(folder, 'data'),
      SCRAPER_LEASE: '4s',
      SCRAPER_SWEEP: '200ms',
      SCRAPER_GRACE: '5s',
      // The service must not refuse requests because the machine runs other tests.
      SCRAPER_BUSY_LAG: '0s',
      SCRAPER_TRUST: 'on',
      SCRAPER_LOG_LEVEL: 'warn',
      SCRAPER_API_KEY: 'the-key-of-these-tests',
      ...settings,
    }
    const { migratePostgres } = await import('../../src/adapters/postgres/open.ts')
    await migratePostgres(url)
    const store = await openPostgresStore({ url, clock: systemClock, connections: 3 })
    const fronted = { ...env, ...(await front({ postgres, redis, s3 }, env)) }
    return new TestCluster({ postgres, redis, s3 }, { url, env: fronted, store, folder })
  }

  /** Starts a process with these roles; resolves when it is ready. */
  async start(
    roles: string[],
    settings: Record<string, string> = {},
    flags: string[] = [],
  ): Promise<RoleProcess> {
    const args = ['--disable-warning=ExperimentalWarning', program, 'start', ...roles, '--json', ...flags]
    const child = spawn(process.execPath, args, {
      cwd: this.folder,
      env: { ...programEnv(this.folder), ...this.env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', text => (output += text))
    const running: RoleProcess = {
      child,
      output: () => output,
      kill: async (signal = 'SIGKILL') => {
        this.#running.delete(running)
        if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
        const ended = once(child, 'exit')
        child.kill(signal)
        await ended
        return child.exitCode
      },
    }
    this.#running.add(running)
    const up = () => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`${roles.join(' ')} ended:\n${output}`)
      return output.includes('"ready":true')
    }
    await until(`${roles.join(' ')} to be up`, up, 180_000).catch(error => {
      throw new Error(`${error.message}\n${output}`)
    })
    return running
  }

  /** Stores a job as the API would. */
  async submit(
    spec: JobSpecInput,
    site: { host: string; port: number },
    options: SubmitOptions = {},
  ): Promise<Job> {
    const gate = new EgressGate({ allowPrivate: [`${site.host}:${site.port}`] })
    const parts = { store: this.store, clock: systemClock, gate, registry: new Registry() }
    return submitJob(parts, givenSpec.parse(spec), options)
  }

  bucket(): Promise<Blobs> {
    const { S3_ENDPOINT: s3Endpoint, S3_BUCKET: s3Bucket } = this.env
    const credentials = { s3AccessKeyId: 'test', s3SecretAccessKey: 'test' }
    return openBlobs(settingsSchema.parse({ s3Endpoint, s3Bucket, ...credentials }))
  }

  /** Fails if the job makes no progress for `withinMs`. A crawl of some hundred pages may take longer than that on a busy machine. */
  async ended(jobId: string, withinMs = patienceMs): Promise<Job> {
    const ended = async () => {
      const job = await this.store.jobs.get(jobId).catch(() => null)
      return job !== null && hasEnded(job.state) ? job : undefined
    }
    const progress = async () => JSON.stringify(await this.store.jobs.counts(jobId).catch(() => null))
    for (let before = await progress(); ; )
      try {
        return await found(`the end of job ${jobId}`, ended, withinMs)
      } catch (error) {
        const now = await progress()
        if (now === before) throw error
        before = now
      }
  }

  async sql<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
    return (await this.#sql.query<Row>(text, values)).rows
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map(running => running.kill()))
    await this.store[Symbol.asyncDispose]()
    await this.#sql.end()
    for (const service of [this.postgres, this.redis, this.s3]) await service[Symbol.asyncDispose]()
    // Retries, because browsers also use the folder and may live a moment longer than their worker.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
