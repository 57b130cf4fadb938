// Does a table of millions of tasks stay fast? Shows times and query plans of the store's own queries. --tasks 2000000
import { parseArgs } from 'node:util'
import pg from 'pg'
import { openPostgresBacklog } from '../src/adapters/postgres/backlog.ts'
import { migratePostgres, openPostgresStore } from '../src/adapters/postgres/open.ts'
import { systemClock } from '../src/lib/clocks.ts'
import { jobSpec } from '../src/model/job.ts'
import type { Store } from '../src/ports/store.ts'
import { startPostgres } from '../test/support/services/postgres.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, written } from './measuring/statistics.ts'

const { values: flags } = parseArgs({
  options: { tasks: { type: 'string', default: '2000000' }, rounds: { type: 'string', default: '30' } },
})
const tasks = Number(flags.tasks)
const rounds = Number(flags.rounds)
/** A prime, so that every host has tasks of every state. */
const hosts = 19_997
/** Percentages of tasks: most are done, some wait and a few failed. One in a thousand is a retry that is not due yet. */
const pendingPercent = 8
const largest = 'large'
/** The size of a small table for comparison. Both tables are measured in one run, because the load of the machine changes. */
const few = 200_000

await using postgres = await startPostgres(['fsync=off', 'max_wal_size=4GB', 'shared_buffers=512MB'])
const url = await postgres.freshUrl()
await migratePostgres(url)
const asked = new Map<string, unknown[]>()
const query = pg.Client.prototype.query as (...given: unknown[]) => unknown
// Captures the statements that the store really sends, to run EXPLAIN on them later.
pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
  const [config] = given
  if (isStatement(config)) asked.set(config.text, config.values)
  return query.apply(this, given)
} as typeof pg.Client.prototype.query

function isStatement(config: unknown): config is { text: string; values: unknown[] } {
  return typeof config === 'object' && config !== null && 'name' in config && 'text' in config
}

const client = new pg.Client({ connectionString: url })
await client.connect()
let filled = 0
await using store = await openPostgresStore({ url, clock: systemClock, connections: 2 })

async function enterJobs(): Promise<void> {
  for (const id of [largest, 'small', 'another'])
    await store.jobs.create(
      {
        id,
        kind: 'list',
        spec: jobSpec.parse({ urls: ['https://host-1.example/'] }),
        ingest: { source: null, done: true, rows: 0, blank: 0, rejected: 0, duplicates: 0 },
        createdAt: Date.now(),
      },
      [],
    )
}

/** Inserts tasks `from` to `to` and their counters with SQL. The state of a task depends only on its number. */
async function fill(from: number, to: number): Promise<void> {
  await client.query(
    `INSERT INTO tasks (job_no, n, host, kind, depth, priority, state, reason, attempt, not_before, url)
     SELECT (SELECT job_no FROM jobs WHERE id = '${largest}'), n, 'host-' || (n % ${hosts}) || '.example', 'page', 0, n % 5,
       CASE WHEN n % 100 < ${pendingPercent} THEN 'pending' WHEN n % 100 = 99 THEN 'failed' ELSE 'succeeded' END,
       CASE WHEN n % 100 < ${pendingPercent} THEN NULL WHEN n % 100 = 99 THEN 'http.error' ELSE 'ok' END,
       1, CASE WHEN n % 1000 = 7 THEN ${Date.now() + 3_600_000} + n ELSE 0 END,
       'https://host-' || (n % ${hosts}) || '.example/' || n
     FROM generate_series(${from}, ${to}) n`,
  )
  await client.query(
    `INSERT INTO failed_tasks (job_no, n) SELECT job_no, n FROM tasks WHERE state = 'failed' AND n >= ${from} ORDER BY n`,
  )
  await client.query(
    `INSERT INTO job_counts (job_no, bucket, value) SELECT job_no, 'state:' || state, count(*) FROM tasks WHERE n >= ${from}
     GROUP BY 1, 2 ON CONFLICT (job_no, bucket) DO UPDATE SET value = job_counts.value + excluded.value`,
  )
  await client.query(`UPDATE jobs SET state = 'running', next_n = ${to + 1} WHERE id = '${largest}'`)
  await client.query('VACUUM ANALYZE')
  filled = to
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

let turn = 0
/** The hosts of the next claim. They differ each time, as those of the dispatcher do. */
const wants = () =>
  Array.from({ length: 64 }, () => ({ jobId: largest, host: `host-${turn++ % hosts}.example`, limit: 1 }))
const lease = () => ({ owner: 'cluster', untilMs: Date.now() + 60_000, state: 'in_progress' as const })
const held: Awaited<ReturnType<Store['tasks']['claim']>> = []

await using backlog = await openPostgresBacklog(url)
const questions: Record<string, () => Promise<unknown>> = {
  'nothing at all (the round trip)': () => store.checkWritable(),
  'claim of 64 tasks at 64 hosts': async () => held.push(...(await store.tasks.claim(wants(), lease()))),
  'leases extended': () => store.tasks.extend('cluster', Date.now() + 60_000),
  'sweep: expired leases': () => store.tasks.reclaim({ now: Date.now() - 3_600_000, poisonAfter: 5 }),
  'sweep: due retries': () => store.tasks.wake(Date.now()),
  'the next retry': () => store.tasks.nextWake(),
  'tasks requeued (64)': () => store.tasks.release('cluster', held.splice(0, 64)),
  'the counts of a job': () => store.jobs.counts(largest),
  'jobs, newest first': () => store.jobs.list({ limit: 50 }),
  'jobs that have not ended': () => store.jobs.unended(),
  'a page of tasks from the middle': () => store.tasks.list(largest, { after: filled >> 1, limit: 100 }),
  'a page of failed tasks': () => store.tasks.failed(largest, { after: 0, limit: 100 }),
  'one task': () => store.tasks.get(largest, filled >> 1),
  'backlog for autoscaling': () => backlog.read(),
  'all hosts with work (once per adoption)': () => store.tasks.pendingHosts(largest),
}

interface Line {
  what: string
  median: number
  worst: number
  plan: string
  /** Pages of tables and indexes that PostgreSQL read. This number does not depend on other work of the machine. */
  pages: number
}

async function measure(what: string, ask: () => Promise<unknown>): Promise<Line> {
  const times: number[] = []
  asked.clear()
  for (let round = 0; round < rounds; round += 1) times.push(await timed(ask))
  times.sort((a, b) => a - b)
  const plans = await plansOf([...asked])
  return {
    ...{ what, median: times[times.length >> 1]!, worst: times.at(-1)! },
    plan: scansIn(plans),
    pages: plans.reduce((sum, plan) => sum + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], 0),
  }
}

interface PlanNode {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: PlanNode[]
}

/** Runs the statements again and rolls back, so that the next statement finds the same rows. */
async function plansOf(statements: Array<[string, unknown[]]>): Promise<PlanNode[]> {
  const plans: PlanNode[] = []
  for (const [text, values] of statements.filter(([text]) => /^\s*(WITH|SELECT|UPDATE)/.test(text))) {
    await client.query('BEGIN')
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values)
    await client.query('ROLLBACK')
    plans.push(rows[0]['QUERY PLAN'][0].Plan)
  }
  return plans
}

/** The kinds of scans that read rows of `tasks` and `failed_tasks`. */
function scansIn(plans: PlanNode[]): string {
  const found = new Set<string>()
  for (const node of plans.flatMap(nodesOf))
    if (/tasks/.test(node['Index Name'] ?? node['Relation Name'] ?? '') && node['Node Type'].includes('Scan'))
      found.add(node['Index Name'] ?? `${node['Node Type']} of ${node['Relation Name']}`)
  found.delete('Bitmap Heap Scan of tasks')
  return [...found].sort().join(', ') || 'none of tasks'
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

async function measureAll(): Promise<Line[]> {
  const lines: Line[] = []
  for (const [what, ask] of Object.entries(questions)) lines.push(await measure(what, ask))
  await store.tasks.release('cluster', held.splice(0))
  return lines
}

await enterJobs()
await fill(1, few)
const before = await measureAll()
const filledMs = await timed(() => fill(few + 1, tasks))
const lines = await measureAll()
const { rows: sizes } = await client.query(
  `SELECT pg_size_pretty(pg_table_size('tasks')) AS rows, pg_size_pretty(pg_indexes_size('tasks')) AS indexes`,
)
await client.end()

/** A count in thousands or millions. */
function short(count: number): string {
  return count >= 1e6 ? `${count / 1e6} M` : `${count / 1e3} k`
}

const slow = lines.filter(({ plan }) => plan.includes('Seq Scan'))
process.stdout.write(`${today()}, ${machine()}, load ${loadNow()}. PostgreSQL with ${tasks.toLocaleString('en-US')} tasks in one job at
${hosts.toLocaleString('en-US')} hosts (${sizes[0].rows} of rows, ${sizes[0].indexes} of indexes; filled in ${written(filledMs / 1_000)} s), ${rounds} rounds each.

${markdownTable(
  [
    'question',
    `ms, ${short(few)}`,
    `ms, ${short(tasks)}`,
    `pages, ${short(few)}`,
    `pages, ${short(tasks)}`,
    'index',
  ],
  lines.map(({ what, median, pages, plan }, index) => [
    what,
    ...[before[index]!.median, median].map(ms => written(ms, 1)),
    ...[before[index]!.pages, pages].map(count => written(count)),
    plan,
  ]),
)}
${slow.length === 0 ? 'No query scans the whole table.' : `Full scans: ${slow.map(({ what }) => what).join(', ')}.`}
`)
