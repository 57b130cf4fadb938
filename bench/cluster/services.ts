// PostgreSQL, Redis and an S3 server for a benchmark, with counts of their requests.
import diagnostics from 'node:diagnostics_channel'
import { Client } from 'pg'
import { createClient, type RedisClientType } from 'redis'
import { startPostgres, type TestPostgres } from '../../test/support/services/postgres.ts'
import { startRedis, type TestRedis } from '../../test/support/services/redis.ts'
import { startS3, type TestS3 } from '../../test/support/services/s3.ts'
import { familyCpu, parentOf } from './family.ts'

/** Counts since the services were started. CPU times are in seconds. */
export interface Asked {
  statements: number
  transactions: number
  commands: number
  objects: number
  postgresCpu: number
  redisCpu: number
  /** The CPU time of the S3 stand-in and of the benchmark, which share a process. */
  standInCpu: number
}

export class Services implements AsyncDisposable {
  readonly #postgres: TestPostgres
  readonly #redis: TestRedis
  readonly #s3: TestS3
  readonly #sql: Client
  readonly #commands: RedisClientType
  readonly env: Record<string, string>
  #objects = 0
  /** The number of SQL statements that the benchmark itself sent. Not part of the counts. */
  #own = 0

  static async start(): Promise<Services> {
    const counted = ['shared_preload_libraries=pg_stat_statements', 'max_connections=200']
    const [postgres, redis, s3] = await Promise.all([startPostgres(counted), startRedis(), startS3()])
    const url = await postgres.freshUrl()
    const sql = new Client({ connectionString: url })
    await sql.connect()
    await sql.query('CREATE EXTENSION pg_stat_statements')
    const commands = createClient({ url: redis.url }) as unknown as RedisClientType
    await commands.connect()
    const env = {
      DATABASE_URL: url,
      REDIS_URL: redis.url,
      S3_ENDPOINT: s3.url,
      S3_BUCKET: await s3.freshBucket(),
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    }
    return new Services({ postgres, redis, s3 }, { sql, commands, env })
  }

  private constructor(
    servers: { postgres: TestPostgres; redis: TestRedis; s3: TestS3 },
    parts: { sql: Client; commands: RedisClientType; env: Record<string, string> },
  ) {
    this.#postgres = servers.postgres
    this.#redis = servers.redis
    this.#s3 = servers.s3
    this.#sql = parts.sql
    this.#commands = parts.commands
    this.env = parts.env
    diagnostics.subscribe('http.server.request.start', () => {
      this.#objects += 1
    })
  }

  async asked(): Promise<Asked> {
    const text = `SELECT (SELECT sum(calls) FROM pg_stat_statements)::float8 AS statements,
      (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database())::float8 AS transactions`
    const { rows } = await this.#sql.query<{ statements: number; transactions: number }>(text)
    const info = await this.#commands.info('stats')
    const { user, system } = process.cpuUsage()
    return {
      statements: rows[0]!.statements - this.#own,
      transactions: rows[0]!.transactions - this.#own,
      commands: Number(/total_commands_processed:(\d+)/.exec(info)![1]),
      objects: this.#objects,
      postgresCpu: familyCpu(await this.#postmaster()),
      redisCpu: sumOf(await this.#commands.info('cpu'), /used_cpu_(?:user|sys):([\d.]+)/g),
      standInCpu: (user + system) / 1_000_000,
    }
  }

  async #postmaster(): Promise<number> {
    this.#own += 1
    const { rows } = await this.#sql.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    return parentOf(rows[0]!.pid)
  }

  /** Polls the store directly, so that the API spends no time on progress. */
  async ended(jobId: string, limitSeconds: number): Promise<void> {
    const until = Date.now() + limitSeconds * 1_000
    for (;;) {
      this.#own += 1
      const { rows } = await this.#sql.query<{ state: string }>('SELECT state FROM jobs WHERE id = $1', [
        jobId,
      ])
      if (/completed|failed|cancelled/.test(rows[0]?.state ?? '')) return
      if (Date.now() > until) throw new Error(`the job is ${rows[0]?.state} after ${limitSeconds} s`)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }

  /** The size of all tables and indexes. */
  async databaseBytes(): Promise<number> {
    this.#own += 1
    const { rows } = await this.#sql.query<{ bytes: number }>(
      `SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM pg_class c
       WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace`,
    )
    return rows[0]!.bytes
  }

  async objectsIn(prefix: string): Promise<number> {
    const { openS3Blobs } = await import('../../src/adapters/s3/blobs.ts')
    const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket } = this.env
    await using blobs = await openS3Blobs({
      ...{ endpoint: endpoint!, bucket: bucket!, region: 'us-east-1', pathStyle: true },
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    })
    return (await Array.fromAsync(blobs.list(prefix))).length
  }

  /** The most frequent requests, which show where the remaining time goes. */
  async mostAsked(): Promise<{ statements: string[]; commands: string[] }> {
    const { rows } = await this.#sql.query<{ calls: number; ms: number; query: string }>(
      `SELECT calls::float8 AS calls, round(total_exec_time)::float8 AS ms, regexp_replace(query, '\\s+', ' ', 'g') AS query
       FROM pg_stat_statements ORDER BY calls DESC LIMIT 25`,
    )
    const stats = await this.#commands.info('commandstats')
    const commands = [...stats.matchAll(/cmdstat_([^:]+):calls=(\d+)/g)]
      .map(([, name, calls]) => ({ name, calls: Number(calls) }))
      .sort((a, b) => b.calls - a.calls)
    return {
      statements: rows.map(({ calls, ms, query }) => `${calls} × ${ms} ms  ${query.slice(0, 110)}`),
      commands: commands.slice(0, 15).map(({ name, calls }) => `${calls} × ${name}`),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql.end()
    this.#commands.destroy()
    for (const server of [this.#postgres, this.#redis, this.#s3]) await server[Symbol.asyncDispose]()
  }
}

const sumOf = (text: string, pattern: RegExp): number =>
  [...text.matchAll(pattern)].reduce((sum, [, value]) => sum + Number(value), 0)
