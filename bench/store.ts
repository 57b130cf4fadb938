// How fast is the SQLite store? `node bench/store.ts [rows]` adds, claims, commits and deletes, and prints a table.
//
// 15 November 2026, 2 cores with other programs running (load 2 to 8: times vary by half, but ratios are stable), Node 24.21, a
// disk that syncs 4 KB in 0.15 ms. A range is the worst and the best of five runs with a million rows. Between these runs we
// reduced the cache from 48 to 32 MB, and raised the checkpoint from 16,000 to 32,000 pages:
//   add 1,000,000 tasks of 1,000 hosts     32,000 to 79,500/s; 0.74 to 0.98 of bare prepared inserts in the same run
//     speed of the last tenth ÷ the first  0.25 to 0.40 (by CPU time 0.35 to 0.37), because a batch writes most pages of the
//                                          seen-set when the set is large. In an ingest, which also reads and canonicalizes: 0.56
//   claim 256                              1.5 to 1.6 ms
//   commit 256 with 256 new tasks          6.4 to 13.6 ms
//   counts / pendingHosts / hosts.ofJob    0.3 / 56 to 87 / 330 to 850 ms on a million tasks
//   endPending / reopen / delete           2.6 to 4.9 / 3.3 to 8.9 / 3.5 to 9.5 s on a million tasks, in a hundred or more pieces
//   open after kill -9, 128 MB of log      61 ms
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate as letOthersRun } from 'node:timers/promises'
import { openSqliteStore } from '../src/adapters/sqlite/open.ts'
import { systemClock } from '../src/lib/clocks.ts'
import { jobSpec } from '../src/model/job.ts'
import type { LeasedTask, NewTask } from '../src/model/task.ts'
import type { Settlement, Store } from '../src/ports/store.ts'

const rows = Number(process.argv[2] ?? 1_000_000)
const batch = 5_000
const group = 256
const directory = mkdtempSync(join(tmpdir(), 'kscrape-bench-'))
const owner = 'bench-owner'
const ingest = { source: 'bench', done: false, rows: 0, blank: 0, rejected: 0, duplicates: 0 }

/** A key that is spread over all 64 bits like a hash, and never repeats. */
const keyOf = (i: number): bigint => BigInt.asIntN(64, BigInt(i) * 0x9e3779b97f4a7c15n)

function newTask(i: number, hosts: number): NewTask {
  const host = `shop-${i % hosts}.example`
  const url = `https://${host}/products/item-${i}?variant=blue`
  return {
    key: keyOf(i),
    kind: 'page',
    url,
    host,
    depth: 1,
    priority: 1,
    parent: null,
    input: null,
    itemId: null,
  }
}

const tasksFrom = (first: number, count: number, hosts = 1_000): NewTask[] =>
  Array.from({ length: count }, (_, i) => newTask(first + i, hosts))

function settlement(task: LeasedTask, serial: number): Settlement {
  const { jobId, n, attempt, url } = task
  const raw = { key: 'segments/bench-000001.warc.gz', offset: serial * 5_000, length: 5_000 }
  const times = { startedAt: 1_700_000_000_000 + serial, endedAt: 1_700_000_000_050 + serial }
  const result = { outcome: 'ok', message: null, status: 200, bytes: 17_000 } as const
  const data = JSON.stringify({ title: `Product ${serial}`, price: 12.5, text: 'x'.repeat(240) })
  return {
    jobId,
    n,
    attempt,
    state: 'succeeded',
    reason: 'ok',
    message: null,
    notBefore: 0,
    charged: true,
    history: {
      attempt,
      ...times,
      ...result,
      worker: 'lane-1',
      proxy: null,
      raw,
      way: 'http',
      artifacts: [],
      readMs: 1,
      storeMs: 20,
    },
    records: [
      {
        index: 0,
        data,
        provenance: null,
        finalUrl: url,
        status: 200,
        fetchedAt: times.endedAt,
        scraper: 'page@1',
        way: null,
      },
    ],
    identity: { canonical: keyOf(n), content: keyOf(n + 500_000_000) },
  }
}

const createJob = (store: Store, id: string, tasks: NewTask[] = []) =>
  store.jobs.create({ id, kind: 'crawl', spec: jobSpec.parse({}), ingest, createdAt: Date.now() }, tasks)

const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`
const perSecond = (count: number, ms: number): string =>
  `${Math.round((count / ms) * 1_000).toLocaleString('en')}/s`
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
const report = (what: string, figure: string): void => console.log(what.padEnd(44), figure)

async function timed(work: () => Promise<unknown> | unknown): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** Inserts the same rows into the same tables with plain prepared statements, in the same number of transactions. */
async function bareLoop(): Promise<number> {
  const path = join(directory, 'bare.sqlite')
  await (await openSqliteStore({ path, clock: systemClock }))[Symbol.asyncDispose]()
  using database = new DatabaseSync(path)
  database.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 32000; PRAGMA cache_size = -32768')
  const enter = database.prepare('INSERT INTO seen (job_no, space, key, n) VALUES (1, 0, ?, ?)')
  const insert = database.prepare(
    'INSERT INTO tasks (job_no, n, host, kind, depth, priority, url) VALUES (1, ?, ?, 0, 1, 1, ?)',
  )
  let spentMs = 0
  for (let first = 1; first <= rows; first += batch) {
    const tasks = tasksFrom(first, batch)
    spentMs += await timed(() => {
      database.exec('BEGIN IMMEDIATE')
      for (let i = 0; i < batch; i += 1) {
        enter.run(tasks[i]!.key, first + i)
        insert.run(first + i, i % 1_000, tasks[i]!.url)
      }
      database.exec('COMMIT')
    })
  }
  return spentMs
}

/** Time and CPU time of each batch. The CPU time does not depend on other use of the disk. */
async function addRows(store: Store): Promise<{ spentMs: number[]; cpuMs: number[] }> {
  await createJob(store, 'list')
  const spentMs: number[] = []
  const cpuMs: number[] = []
  for (let first = 1; first <= rows; first += batch) {
    const tasks = tasksFrom(first, batch)
    const progress = { ...ingest, rows: first + batch }
    const cpu = process.cpuUsage()
    spentMs.push(await timed(() => store.tasks.add('list', tasks, progress)))
    const { user, system } = process.cpuUsage(cpu)
    cpuMs.push((user + system) / 1_000)
    await letOthersRun()
  }
  return { spentMs, cpuMs }
}

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0)

/** The speed of the last tenth of the batches relative to the first tenth. */
function lastAgainstFirst(values: number[]): string {
  const tenth = Math.ceil(values.length / 10)
  return (sum(values.slice(0, tenth)) / sum(values.slice(-tenth))).toFixed(2)
}

async function benchAdding(store: Store): Promise<void> {
  const before = process.memoryUsage.rss()
  const { spentMs, cpuMs } = await addRows(store)
  const growth = megabytes(process.memoryUsage.rss() - before)
  const totalMs = sum(spentMs)
  report(`add ${rows.toLocaleString('en')} tasks`, `${perSecond(rows, totalMs)}, memory grew ${growth}`)
  report(
    '  speed of the last tenth ÷ the first',
    `${lastAgainstFirst(spentMs)}, by CPU time ${lastAgainstFirst(cpuMs)}`,
  )
  report('  slowest batch', `${Math.max(...spentMs).toFixed(0)} ms`)
  const bareMs = await bareLoop()
  report(
    '  bare prepared inserts',
    `${perSecond(rows, bareMs)}; the store reaches ${(bareMs / totalMs).toFixed(2)} of this speed`,
  )
}

async function benchCrawling(store: Store, rounds: number): Promise<void> {
  await createJob(store, 'crawl', tasksFrom(900_000_000, rounds * group, 1))
  const claims: number[] = []
  const commits: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    let tasks: LeasedTask[] = []
    const wants = [{ jobId: 'crawl', host: 'shop-0.example', limit: group }]
    const lease = { owner, untilMs: Date.now() + 60_000, state: 'in_progress' } as const
    claims.push(await timed(async () => (tasks = await store.tasks.claim(wants, lease))))
    const settlements = tasks.map(task => settlement(task, task.n))
    const found = { tasks: tasksFrom(1 + round * group, group, 1), refused: {} }
    const discovered = tasks.slice(0, 1).map(({ jobId, n, attempt }) => ({ jobId, n, attempt, ...found }))
    commits.push(await timed(() => store.commit({ owner, settlements, discovered, hosts: [] })))
  }
  report(`claim ${group}`, `${median(claims).toFixed(2)} ms, slowest ${Math.max(...claims).toFixed(1)} ms`)
  report(
    `commit ${group} with ${group} new tasks`,
    `${median(commits).toFixed(2)} ms, slowest ${Math.max(...commits).toFixed(0)} ms`,
  )
}

async function benchQuestions(store: Store): Promise<void> {
  const ms = async (what: string, work: () => Promise<unknown>) =>
    report(what, `${(await timed(work)).toFixed(1)} ms`)
  await ms('counts of the large job', () => store.jobs.counts('list'))
  await ms('pendingHosts of the large job', () => store.tasks.pendingHosts('list'))
  await ms('hosts.ofJob of the large job', () => store.hosts.ofJob('list', 20))
  await ms('1,000 records from the middle', () =>
    store.records.list('crawl', { after: 10_000, limit: 1_000 }),
  )
  await ms('endPending of the large job', () => store.tasks.endPending('list', 'cancelled', 'job.cancelled'))
  await ms('reopen of the large job', () => store.tasks.reopen('list', ['cancelled']))
  await ms('delete the large job', () => store.jobs.delete('list'))
}

try {
  const path = join(directory, 'kscrape.sqlite')
  const open = () => openSqliteStore({ path, clock: systemClock })
  let store = await open()
  await benchAdding(store)
  report('  file', megabytes(statSync(path).size))
  await benchCrawling(store, 80)
  await benchQuestions(store)
  report('close', `${(await timed(() => store[Symbol.asyncDispose]())).toFixed(0)} ms`)
  report('open again', `${(await timed(async () => (store = await open()))).toFixed(1)} ms`)
  await store[Symbol.asyncDispose]()
} finally {
  rmSync(directory, { recursive: true })
}
