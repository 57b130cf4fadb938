// What does it cost if Redis loses all data in the middle of a job, or is killed without persistence? --tasks 100000
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createClient } from 'redis'
import { TestCluster, until } from '../test/support/cluster.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, written } from './measuring/statistics.ts'

const { values: flags } = parseArgs({ options: { tasks: { type: 'string', default: '100000' } } })
const tasks = Number(flags.tasks)
const lookEveryMs = 100
const longestMs = 1_200_000

/** The number of requests for each page. */
const asked = new Uint8Array(tasks)
const server = createServer((request, response) => {
  const n = Number(/^\/page\/(\d+)$/.exec(request.url ?? '')?.[1])
  if (n < tasks) asked[n]! += 1
  response.setHeader('content-type', 'text/html')
  response.end(n < tasks ? `<title>Page ${n}</title><h1>Page ${n}</h1>` : '')
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const site = { host: '127.0.0.1', port: (server.address() as AddressInfo).port }

// Leases and sweeps have their default settings, because short ones would give better results.
const usual = { SCRAPER_LEASE: '60s', SCRAPER_SWEEP: '1s', SCRAPER_CONCURRENCY: '64' }
await using cluster = await TestCluster.open({
  ...usual,
  SCRAPER_ALLOW_PRIVATE: `${site.host}:${site.port}`,
})
const roles = ['coordinator', 'http-worker', 'http-worker', 'processor', 'processor', 'ingest']
await Promise.all(roles.map(role => cluster.start([role])))
const list = join(cluster.folder, 'urls.txt')
writeFileSync(
  list,
  Array.from({ length: tasks }, (_, n) => `http://${site.host}:${site.port}/page/${n}`).join('\n'),
)
const startedAt = performance.now()
const job = await cluster.submit({ policy: { host: { rate: 'unlimited' } } }, site, { source: list })

const flushed = await disturbed(0.3, async () => {
  const redis = createClient({ url: cluster.redis.url })
  await redis.connect()
  await redis.flushAll()
  await redis.close()
})
const killed = await disturbed(0.6, async () => {
  await cluster.redis.kill()
  await cluster.redis.start()
})
const { state } = await cluster.ended(job.id, longestMs)
const seconds = (performance.now() - startedAt) / 1_000
const { byState, records } = await cluster.store.jobs.counts(job.id)

const rows = [
  ['FLUSHALL', ...cells(flushed)],
  ['killed, without persistence', ...cells(killed)],
]
const twice = asked.reduce((sum, times) => sum + (times > 1 ? 1 : 0), 0)
console.log(`${today()}, ${machine()}, load ${loadNow()} at the end. ${written(tasks)} tasks in ${written(seconds)} s with both faults, \
job ${state}: ${written(byState.succeeded)} succeeded, ${written(records)} records, ${written(twice)} pages requested more than once.

${markdownTable(['what happened to Redis', 'done before', 'longest standstill s', 'tasks in flight are settled after s', 'target'], rows)}`)
process.exit(state === 'completed' && byState.succeeded === tasks && records === tasks ? 0 : 1)

interface Cost {
  before: number
  standstillMs: number
  doneAgainMs: number
}

function cells({ before, standstillMs, doneAgainMs }: Cost): string[] {
  return [
    written(before),
    written(standstillMs / 1_000, 1),
    written(doneAgainMs / 1_000, 1),
    doneAgainMs < 60_000 ? 'under 60: yes' : 'under 60: no',
  ]
}

/** Measures the time from the fault until all tasks that workers got before the fault are settled. */
async function disturbed(share: number, fault: () => Promise<void>): Promise<Cost> {
  await until(`${share} of the pages`, async () => (await done()) >= tasks * share, longestMs)
  await until('pages under way', async () => (await underWay(Date.now())) > 0, longestMs)
  const before = await done()
  const [handedOut] = await cluster.sql<{ at: string }>('SELECT max(leased_at) AS at FROM tasks')
  const faultAt = performance.now()
  await fault()
  const watch = { last: before, movedAt: faultAt, standstillMs: 0 }
  await until(
    'the tasks in flight to be settled',
    () => settledSince(Number(handedOut!.at), watch),
    longestMs,
  )
  return { before, standstillMs: watch.standstillMs, doneAgainMs: performance.now() - faultAt }
}

async function settledSince(
  handedOutAt: number,
  watch: { last: number; movedAt: number; standstillMs: number },
): Promise<boolean> {
  await new Promise(resolve => setTimeout(resolve, lookEveryMs))
  const now = performance.now()
  const count = await done()
  watch.standstillMs = Math.max(watch.standstillMs, now - watch.movedAt)
  if (count > watch.last) Object.assign(watch, { last: count, movedAt: now })
  return (await underWay(handedOutAt)) === 0
}

/** The number of tasks that workers got at `handedOutAt` or before, and that are not yet settled. */
async function underWay(handedOutAt: number): Promise<number> {
  const [held] = await cluster.sql<{ count: string }>(
    'SELECT count(*) FROM tasks WHERE owner IS NOT NULL AND leased_at <= $1',
    handedOutAt,
  )
  return Number(held!.count)
}

async function done(): Promise<number> {
  return (await cluster.store.jobs.counts(job.id)).byState.succeeded
}
