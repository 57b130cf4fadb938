// How fast is a crawl over several processes on PostgreSQL, Redis and S3, and what does each page cost them? --pages 20000 --workers 2 --processors 2
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { createClient } from 'redis'
import { startPostgres } from '../test/support/services/postgres.ts'
import { startRedis } from '../test/support/services/redis.ts'
import { startS3 } from '../test/support/services/s3.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { kscrape } from './measuring/program.ts'
import { Nginx } from './static/nginx.ts'
import { writeSite } from './static/site.ts'

const { values: flags } = parseArgs({
  options: {
    pages: { type: 'string', default: '20000' },
    workers: { type: 'string', default: '2' },
    processors: { type: 'string', default: '2' },
    limit: { type: 'string', default: '600' },
  },
})
const workDirectory = join(import.meta.dirname, '.work')
const key = 'the-key-of-this-benchmark'
mkdirSync(workDirectory, { recursive: true })

const pages = Number(flags.pages)
await using nginx = await Nginx.start(workDirectory, [{ root: writeSite(workDirectory, pages), pages }])
await using postgres = await startPostgres()
await using redis = await startRedis()
await using s3 = await startS3()
const folder = mkdtempSync(join(tmpdir(), 'kscrape-bench-'))
const site = `127.0.0.1:${nginx.sites[0]!.port}`
const env = {
  PATH: process.env.PATH!,
  DATABASE_URL: await postgres.freshUrl(),
  REDIS_URL: redis.url,
  S3_ENDPOINT: s3.url,
  S3_BUCKET: await s3.freshBucket(),
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'test',
  SCRAPER_DATA_DIR: folder,
  SCRAPER_API_KEY: key,
  SCRAPER_ALLOW_PRIVATE: site,
  SCRAPER_LOG_LEVEL: 'warn',
}
const children: ChildProcess[] = []
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

await ended(run('migrate'))
const roles = [
  ['coordinator'],
  ...Array.from({ length: Number(flags.workers) }, () => ['http-worker', '--concurrency', '64']),
  ...Array.from({ length: Number(flags.processors) }, () => ['processor']),
]
for (const role of roles) await ready(run('start', ...role, '--json'))
const api = /"url":"([^"]+)"/.exec(await ready(run('start', 'api', '--port', '0', '--json')))![1]!

const sql = new Client({ connectionString: env.DATABASE_URL })
await sql.connect()
const asked = createClient({ url: redis.url })
await asked.connect()
const before = await figures()
const startedAt = performance.now()
const { job_id: jobId } = await ask<{ job_id: string }>('/jobs', {
  seed_urls: [`http://${site}/`],
  policy: { host: { rate: 'unlimited' } },
})
await untilEnded(jobId)
const seconds = (performance.now() - startedAt) / 1_000
const after = await figures()
const { rows } = await sql.query<{ count: string }>("SELECT count(*) FROM tasks WHERE state = 'succeeded'")
const done = Number(rows[0]!.count)
const perPage = (from: number, to: number) => ((to - from) / done).toFixed(3)
console.log(`${today()}, ${machine()}, load ${loadNow()} at the end.

| pages | seconds | pages/s | CPU s per 1,000 pages (roles) | transactions per page | Redis commands per page | objects per page |
| ----- | ------- | ------- | ----------------------------- | --------------------- | ----------------------- | ---------------- |
| ${done} | ${seconds.toFixed(1)} | ${(done / seconds).toFixed(0)} | ${(((after.cpu - before.cpu) / done) * 1_000).toFixed(2)} | ${perPage(before.transactions, after.transactions)} | ${perPage(before.commands, after.commands)} | ${perPage(before.objects, after.objects)} |`)
await sql.end()
await asked.close()
process.exit()

function run(...args: string[]): ChildProcess {
  const [command, ...rest] = kscrape(...args)
  const child = spawn(command!, rest, { cwd: folder, env, stdio: ['ignore', 'inherit', 'pipe'] })
  children.push(child)
  return child
}

async function ended(child: ChildProcess): Promise<void> {
  child.stderr!.pipe(process.stderr)
  await new Promise(resolve => child.once('exit', resolve))
}

async function ready(child: ChildProcess): Promise<string> {
  let said = ''
  for await (const chunk of child.stderr!.iterator({ destroyOnReturn: false })) {
    said += String(chunk)
    if (said.includes('"ready":true')) break
  }
  child.stderr!.pipe(process.stderr)
  return said
}

async function ask<Body>(path: string, body?: unknown): Promise<Body> {
  const response = await fetch(`${api}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Body
}

async function untilEnded(jobId: string): Promise<void> {
  const until = Date.now() + Number(flags.limit) * 1_000
  for (;;) {
    const { status } = await ask<{ status: string }>(`/jobs/${jobId}/status`)
    if (/completed|failed|cancelled/.test(status)) return
    if (Date.now() > until) throw new Error(`the job is ${status} after ${flags.limit} s`)
    await new Promise(resolve => setTimeout(resolve, 250))
  }
}

/** What was asked of the services so far, and the CPU time of the roles. */
async function figures(): Promise<{ transactions: number; commands: number; objects: number; cpu: number }> {
  const { rows } = await sql.query<{ xact: string }>(
    'SELECT xact_commit AS xact FROM pg_stat_database WHERE datname = current_database()',
  )
  const info = await asked.info('stats')
  const commands = Number(/total_commands_processed:(\d+)/.exec(info)![1])
  const objects = await sql
    .query<{ count: string }>('SELECT count(DISTINCT raw_key) FROM attempts')
    .catch(() => null)
  return {
    transactions: Number(rows[0]!.xact),
    commands,
    objects: Number(objects?.rows[0]?.count ?? 0),
    cpu: (await Promise.all(children.map(cpuSeconds))).reduce((sum, own) => sum + own, 0),
  }
}

async function cpuSeconds({ pid }: ChildProcess): Promise<number> {
  const { readFile } = await import('node:fs/promises')
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat === '' ? 0 : (Number(fields[11]) + Number(fields[12])) / 100
}
