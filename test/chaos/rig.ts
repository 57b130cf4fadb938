// The cluster that the faults hit: processes, sites that count requests, and fault proxies in front of the services.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createClient, type RedisClientType } from 'redis'
import { group } from '../../src/adapters/redis/consumers.ts'
import { openS3Blobs } from '../../src/adapters/s3/blobs.ts'
import { Client } from '../../src/client.ts'
import type { Job } from '../../src/model/job.ts'
import type { Blobs } from '../../src/ports/blobs.ts'
import { startTestSite, type TestSite } from '../site/index.ts'
import { type Arrivals, startArrivals } from '../support/arrivals.ts'
import { type RoleProcess, TestCluster, until } from '../support/cluster.ts'
import { freePort } from '../support/free-port.ts'
import { FaultProxy } from '../support/services/fault-proxy.ts'
import { FaultyS3 } from '../support/services/s3-faults.ts'
import { WebhookReceiver } from '../support/webhook-receiver.ts'

/** The processes before each fault, with their roles. */
const cast = {
  coordinator: 'coordinator',
  standby: 'coordinator',
  worker: 'http-worker',
  worker2: 'http-worker',
  processor: 'processor',
  processor2: 'processor',
  ingest: 'ingest',
  api: 'api',
} as const

export type Name = keyof typeof cast

const everyName = Object.keys(cast) as Name[]

/** `small` is for one round of each fault with little work. `whole` has two processes of each role and more pages. */
export type Size = 'small' | 'whole'

const sizes = {
  small: { names: everyName.filter(name => name !== 'processor2'), pages: 200 },
  whole: { names: everyName, pages: 600 },
}

export const leaseMs = 2_000
/** The delay that the polite site requires between two requests. */
export const gapMs = 250
const politePages = 12
/** Lower than the number of requests that the workers can send at a time. So the test detects a leader that miscounts them. */
export const bulkConcurrency = 8
/** The site does not send these pages before the fault has struck. At that time, `inFlight` of them are requested. */
const withheld = { pages: 60, inFlight: 8 }
const endWithinMs = 120_000

/** The two jobs of one round. Both run when the fault strikes. */
export interface Work {
  /** The id of a job with many pages, at full speed. */
  bulk: string
  /** The id of a job with few pages, one after the other. */
  polite: string
  jobs: string[]
  /** Paths of the pages that the site withholds. */
  withheld: readonly string[]
  /** Lets the site answer the withheld pages at the end of the large job. */
  release(): void
  /** Releases only the first half of the withheld pages, so that messages arrive at two different times. */
  releaseHalf(): void
}

interface Parts {
  size: Size
  cluster: TestCluster
  site: TestSite
  polite: Arrivals
  receiver: WebhookReceiver
  postgres: FaultProxy
  s3: FaultyS3
  blobs: Blobs
  redis: RedisClientType
  apiPort: number
}

export class Rig implements AsyncDisposable {
  readonly size: Size
  /** The processes that run before each fault. */
  readonly names: readonly Name[]
  /** The number of pages of the large job. */
  readonly pages: number
  readonly cluster: TestCluster
  readonly site: TestSite
  /** Runs on its own thread, because the main thread also runs the database proxy and would measure requests too late. */
  readonly polite: Arrivals
  readonly receiver: WebhookReceiver
  /** The fault proxies that all processes use. */
  readonly postgres: FaultProxy
  readonly s3: FaultyS3
  /** The bucket, accessed without the fault proxy. */
  readonly blobs: Blobs
  readonly client: Client
  /** The longest delay of the event loop in this process, as a measure of the load. */
  readonly lateMs: () => number
  /** The time that each takeover by another leader took. */
  readonly takeOversMs: number[] = []
  /** Violations that were already reported. */
  readonly told = new Set<string>()
  readonly #redis: RedisClientType
  readonly #apiPort: number
  readonly #roles = new Map<Name, RoleProcess>()
  #opened: AsyncDisposableStack

  private constructor(parts: Parts, opened: AsyncDisposableStack) {
    this.size = parts.size
    this.names = sizes[parts.size].names
    this.pages = sizes[parts.size].pages
    this.cluster = parts.cluster
    this.site = parts.site
    this.polite = parts.polite
    this.receiver = parts.receiver
    this.postgres = parts.postgres
    this.s3 = parts.s3
    this.blobs = parts.blobs
    this.#redis = parts.redis
    this.#apiPort = parts.apiPort
    this.#opened = opened
    const delay = monitorEventLoopDelay({ resolution: 10 })
    delay.enable()
    this.lateMs = () => delay.max / 1e6
    this.client = new Client({ server: this.apiUrl, apiKey: this.cluster.env.SCRAPER_API_KEY!, retries: 100 })
  }

  static async open(size: Size = 'whole'): Promise<Rig> {
    await using opened = new AsyncDisposableStack()
    const site = opened.use(await startTestSite({ maxLoggedRequests: 50_000 }))
    const polite = opened.use(await startArrivals({ hosts: 1 }))
    for (let page = 1; page <= sizes[size].pages; page += 1) site.serve(`/page/${page}`, pageOf(page))
    const receiver = opened.use(await WebhookReceiver.open())
    const doors = {} as { postgres: FaultProxy; s3: FaultyS3 }
    const places = [`${site.host}:${site.port}`, ...polite.hosts]
    const cluster = opened.use(
      await TestCluster.open(
        {
          SCRAPER_ALLOW_PRIVATE: [...places, receiver.place].join(','),
          // One worker may have all withheld pages in flight, and still needs room for other jobs.
          SCRAPER_CONCURRENCY: String(2 * bulkConcurrency),
          SCRAPER_LEASE: `${leaseMs}ms`,
        },
        async ({ postgres, s3 }, env) => {
          doors.postgres = opened.use(await FaultProxy.open(postgres.port))
          doors.s3 = opened.use(await FaultyS3.open(s3.url))
          const behind = `:${postgres.port}/`
          const url = env.DATABASE_URL!.replace(behind, `:${doors.postgres.port}/`)
          return { DATABASE_URL: url, S3_ENDPOINT: doors.s3.url }
        },
      ),
    )
    const blobs = opened.use(await openBucket(cluster))
    const redis = createClient({ url: cluster.redis.url }) as unknown as RedisClientType
    redis.on('error', () => {})
    await redis.connect()
    opened.defer(() => redis.destroy())
    const parts = { size, cluster, site, polite, receiver, blobs, redis, ...doors, apiPort: await freePort() }
    const rig = new Rig(parts, opened)
    await rig.restore()
    rig.#opened = opened.move()
    return rig
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${this.#apiPort}`
  }

  role(name: Name): RoleProcess {
    return this.#roles.get(name)!
  }

  async start(name: Name, settings: Record<string, string> = {}): Promise<void> {
    const role = cast[name]
    const flags = role === 'api' ? ['--port', String(this.#apiPort)] : []
    const health = role === 'coordinator' ? { SCRAPER_HEALTH_PORT: '0', SCRAPER_LOG_LEVEL: 'info' } : {}
    this.#roles.set(name, await this.cluster.start([role], { ...health, ...settings }, flags))
  }

  /** Restarts all missing processes. */
  async restore(): Promise<void> {
    const missing = this.names.filter(name => !this.#roles.has(name) || hasEnded(this.role(name)))
    await Promise.all(missing.map(name => this.start(name)))
  }

  /** Connects to Redis directly, without the proxy. Retries until Redis answers. */
  async redis<Result>(work: (redis: RedisClientType) => Promise<Result>): Promise<Result> {
    await until('Redis to answer', () => this.#redis.isReady)
    return work(this.#redis)
  }

  /** Returns when both jobs are accepted and `done` pages of the large job are finished. Other pages stay in flight until `release`. */
  async beginAndHold(done: number): Promise<Work> {
    const first = this.pages - withheld.pages + 1
    const paths = Array.from({ length: withheld.pages }, (_, at) => `/page/${first + at}`)
    const earlier = this.site.hold(...paths.slice(0, withheld.pages / 2))
    const later = this.site.hold(...paths.slice(withheld.pages / 2))
    const work = await this.begin(done)
    await earlier.arrived(withheld.inFlight)
    const releaseHalf = () => earlier.release()
    const release = () => {
      releaseHalf()
      later.release()
    }
    return { ...work, withheld: paths, release, releaseHalf }
  }

  /** Returns when both jobs are accepted and `done` pages of the large job are finished. */
  async begin(done: number): Promise<Work> {
    this.site.requests.length = 0
    const webhookUrl = this.receiver.url
    const quick = jobOf(this.site.url, this.pages, { rate: 'unlimited', concurrency: bulkConcurrency })
    const bulk = await this.client.jobs.create({ ...quick, webhookUrl })
    const polite = await this.client.jobs.create({ ...this.#politeJob(politePages), webhookUrl })
    await until('the first pages', async () => (await this.succeeded(bulk.jobId)) >= done, endWithinMs)
    const jobs = [bulk.jobId, polite.jobId]
    return { bulk: bulk.jobId, polite: polite.jobId, jobs, withheld: [], release() {}, releaseHalf() {} }
  }

  /** Resolves when the leader has released the tasks of two new jobs, which shows that its loop has run twice. */
  async leads(): Promise<void> {
    for (let jobs = 0; jobs < 2; jobs += 1) {
      const { jobId } = await this.client.jobs.create(this.#politeJob(1))
      await this.ended(jobId)
    }
  }

  #politeJob(pages: number) {
    return jobOf(`http://${this.polite.hosts[0]}`, pages, { rate: 1_000 / gapMs })
  }

  /** The number of requests for each of these pages since the jobs began. */
  requestsFor(paths: readonly string[]): number[] {
    return paths.map(path => this.site.requests.filter(({ url }) => url === path).length)
  }

  /** The time limit allows for leases, sweeps and retries on a busy machine. */
  async ended(jobId: string): Promise<Job> {
    return this.cluster.ended(jobId, endWithinMs).catch(async error => {
      throw new Error(`${error.message}: ${await this.#standOf(jobId)}`)
    })
  }

  /** The state of a job that does not end, with its open tasks, for the error message. */
  async #standOf(jobId: string): Promise<string> {
    const status = await this.client.jobs.get(jobId).catch(String)
    const open = await this.cluster.sql(
      `SELECT t.n, t.state, t.attempt, t.owner, t.not_before, t.reason FROM tasks t JOIN jobs j USING (job_no)
       WHERE j.id = $1 AND t.state IN ('pending', 'queued', 'in_progress') LIMIT 5`,
      jobId,
    )
    return JSON.stringify({ status, open })
  }

  async succeeded(jobId: string): Promise<number> {
    return (await this.cluster.store.jobs.counts(jobId)).byState.succeeded
  }

  /** The messages of a stream that a process has received but not acknowledged. */
  async heldBy(name: Name, stream: string): Promise<number> {
    const own = await this.#consumersOf(name, stream)
    return own.reduce((sum, { pending }) => sum + Number(pending), 0)
  }

  /** Gives a suspended process a message that no process has received. Redis gives it one only if the process was waiting for
   *  messages at the moment when it was suspended. */
  async deliverTo(name: Name, stream: string): Promise<void> {
    for (const consumer of await this.#consumersOf(name, stream))
      await this.redis(redis =>
        redis.xReadGroup(group, String(consumer.name), { key: streamKey(stream), id: '>' }, { COUNT: 1 }),
      )
  }

  async #consumersOf(name: Name, stream: string) {
    const consumers = await this.redis(redis => redis.xInfoConsumers(streamKey(stream), group))
    return consumers.filter(one => String(one.name).includes(`-${this.role(name).child.pid}-`))
  }

  /** The messages of a stream that no process has received. */
  async unreceived(stream: string): Promise<number> {
    return this.redis(async redis => {
      const { pending } = await redis.xPending(streamKey(stream), group)
      return (await redis.xLen(streamKey(stream))) - pending
    })
  }

  /** Leased tasks in the store. */
  async leased(): Promise<number> {
    const [row] = await this.cluster.sql<{ count: string }>(
      'SELECT count(*) FROM tasks WHERE owner IS NOT NULL',
    )
    return Number(row!.count)
  }

  /** The fencing token of the current leader. It grows with every leader. */
  async token(): Promise<number> {
    const [row] = await this.cluster.sql<{ token: string }>('SELECT token FROM leaders')
    return Number(row?.token ?? 0)
  }

  /** The coordinator that was the last to report that it leads. */
  leader(): Name {
    const tokenOf = (name: Name) => Number(/.*"token":(\d+)/s.exec(this.role(name).output())?.[1] ?? 0)
    return tokenOf('standby') > tokenOf('coordinator') ? 'standby' : 'coordinator'
  }

  /** The last output of every process, which helps to find the cause of a failure. */
  said(): string {
    const tail = (name: Name) => this.#roles.get(name)?.output().slice(-1_500) ?? ''
    return this.names.map(name => `--- ${name}\n${tail(name)}`).join('\n')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync()
  }
}

export const streamKey = (stream: string): string => `kscrape:${stream}`

export const hasEnded = ({ child }: RoleProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null

const jobOf = (site: string, pages: number, host: { rate: 'unlimited' | number; concurrency?: number }) => ({
  urls: Array.from({ length: pages }, (_, at) => `${site}/page/${at + 1}`),
  // A long timeout, because the site withholds pages until the fault has struck. A page that times out would open the breaker.
  policy: { host, timeouts: { headersMs: endWithinMs, totalMs: endWithinMs } },
})

const pageOf = (page: number) => `<title>Page ${page}</title><h1>Page ${page}</h1>`

const openBucket = ({ s3, env }: TestCluster): Promise<Blobs> =>
  openS3Blobs({
    endpoint: s3.url,
    region: 'us-east-1',
    bucket: env.S3_BUCKET!,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    pathStyle: true,
  })
