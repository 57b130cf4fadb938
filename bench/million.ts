// Does a cluster process an upload of a million rows with flat memory and quick responses? --rows 1000000 --workers 2
// --processors 2 --raw segments
import { createReadStream, createWriteStream, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createGzip } from 'node:zlib'
import { Roles } from './cluster/roles.ts'
import { Services } from './cluster/services.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, written } from './measuring/statistics.ts'
import { startTarget } from './million/target.ts'

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    workers: { type: 'string', default: '2' },
    processors: { type: 'string', default: '2' },
    raw: { type: 'string', default: 'segments' },
    limit: { type: 'string', default: '7200' },
    profiles: { type: 'string' },
  },
})
const rows = Number(flags.rows)
const askEveryMs = 200
const weighEveryMs = 1_000
const tellEveryMs = 15_000
/** Memory must stay flat after this many tasks. Before that, it grows while code is compiled and caches are filled. */
const warmTasks = Math.min(20_000, rows / 5)

interface Status {
  status: string
  counts: { by_state: Record<string, number> }
  ingest: { done: boolean }
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))
const workDirectory = join(import.meta.dirname, '.work', 'million')
rmSync(workDirectory, { recursive: true, force: true })
mkdirSync(workDirectory, { recursive: true })
await using target = await startTarget(workDirectory)
// Gzipped, because the S3 stand-in accepts no object above 11 MB.
const file = join(workDirectory, 'rows.csv.gz')
await pipeline(
  async function* () {
    yield 'url,note\n'
    for (let row = 1; row <= rows; row++) yield `http://${target.place}/catalogue/item-${row},row ${row}\n`
  },
  createGzip(),
  createWriteStream(file),
)

await using services = await Services.start()
await using roles = await Roles.start({
  ...{ env: services.env, site: target.place, ingests: 1, profiles: flags.profiles },
  ...{ workers: Number(flags.workers), processors: Number(flags.processors) },
})
const load = loadNow()
const before = { asked: await services.asked(), costs: roles.costs() }
const startedAt = performance.now()
const uploadId = await upload()
const jobId = await roles.submit({
  upload_id: uploadId,
  extract: { fields: { title: 'title', price: '.price' } },
  results: { raw: flags.raw },
  policy: { host: { rate: 'unlimited' } },
})
const watched = await watch()
const seconds = (performance.now() - startedAt) / 1_000
const after = { asked: await services.asked(), costs: roles.costs() }
if (flags.profiles !== undefined) console.error(await services.mostAsked())
const databaseBytes = await services.databaseBytes()
const manifests = await services.objectsIn(`jobs/${jobId}/manifests/full/`)
report()
process.exitCode = 0

async function upload(): Promise<string> {
  const made = await roles.ask<{ upload_id: string; upload_url: string; headers: Record<string, string> }>(
    '/uploads',
    { file_name: 'rows.csv.gz' },
  )
  const response = await fetch(made.upload_url, {
    method: 'PUT',
    headers: { ...made.headers, 'content-length': String(statSync(file).size) },
    body: Readable.toWeb(createReadStream(file)) as ReadableStream,
    duplex: 'half',
  } as RequestInit)
  if (!response.ok) throw new Error(`the upload was refused: ${response.status} ${await response.text()}`)
  return made.upload_id
}

/** Polls the status and measures every role until the job has ended. */
async function watch() {
  const answersMs: number[] = []
  const first = new Map<number, number>()
  const most = new Map<number, number>()
  const until = Date.now() + Number(flags.limit) * 1_000
  let done = 0
  let refused = 0
  let ingestedS: number | null = null
  let weighAt = 0
  let tellAt = 0
  for (;;) {
    const askedAt = performance.now()
    const asked = await roles.ask<Status>(`/jobs/${jobId}/status`).catch(() => null)
    answersMs.push(performance.now() - askedAt)
    if (!asked) {
      refused += 1
      await wait(askEveryMs)
      continue
    }
    const { status, counts, ingest } = asked
    done = (counts.by_state.succeeded ?? 0) + (counts.by_state.failed ?? 0)
    if (ingest.done) ingestedS ??= (performance.now() - startedAt) / 1_000
    if (Date.now() >= weighAt) {
      for (const [index, { memoryMb }] of roles.costs().entries()) {
        if (done >= warmTasks && !first.has(index)) first.set(index, memoryMb)
        if (done >= warmTasks) most.set(index, Math.max(most.get(index) ?? 0, memoryMb))
      }
      weighAt = Date.now() + weighEveryMs
    }
    if (Date.now() >= tellAt) {
      const memory = roles.costs().map(({ name, memoryMb }) => `${name} ${memoryMb.toFixed(0)}`)
      console.error(
        `${((performance.now() - startedAt) / 1_000).toFixed(0)} s  ${done} of ${rows}  ${memory.join(', ')} MB`,
      )
      tellAt = Date.now() + tellEveryMs
    }
    if (/completed|failed|cancelled/.test(status))
      return { answersMs, refused, first, most, done, ingestedS, status }
    if (Date.now() > until) throw new Error(`the job is ${status} after ${flags.limit} s`)
    await wait(askEveryMs)
  }
}

function report(): void {
  const { answersMs, refused, first, most, done, ingestedS, status } = watched
  const sorted = answersMs.toSorted((a, b) => a - b)
  const p99 = sorted[Math.floor(0.99 * (sorted.length - 1))]!
  const growth = after.costs.map(({ name }, index) => ({
    name,
    mb: (most.get(index) ?? 0) - (first.get(index) ?? 0),
  }))
  const worst = growth.reduce((a, b) => (b.mb > a.mb ? b : a))
  const per = (what: 'statements' | 'commands' | 'objects') =>
    written((after.asked[what] - before.asked[what]) / rows, 3)
  const is = (isSo: boolean) => (isSo ? 'yes' : 'no')
  console.log(
    `${today()}, ${machine()}, load ${load} before, ${loadNow()} at the end; raw pages: ${flags.raw}.\n`,
  )
  console.log(
    markdownTable(
      ['measurement', 'measured', 'target', 'target met'],
      [
        [
          'rows, and final state of the job',
          `${written(rows)}, ${status}`,
          'completed',
          is(status === 'completed'),
        ],
        ['tasks that ended', written(done), `= ${written(rows)}`, is(done === rows)],
        ['total, s', written(seconds), '', ''],
        ['rows/s', written(rows / seconds), '', ''],
        ['ingest ended after, s', written(ingestedS ?? Number.NaN), '≤ 120', is((ingestedS ?? 999) <= 120)],
        [
          'largest memory growth of a role, MB',
          `${written(worst.mb)} (${worst.name})`,
          '< 100',
          is(worst.mb < 100),
        ],
        [
          'status calls, p99 in ms',
          `${written(p99, 1)} of ${written(sorted.length)}`,
          '< 100',
          is(p99 < 100),
        ],
        ['status calls, longest in ms', written(sorted.at(-1)!, 1), '', ''],
        ['status calls that were refused', written(refused), '0', is(refused === 0)],
        [
          'manifest parts of a thousand',
          written(manifests),
          `= ${written(Math.ceil(rows / 1_000))}`,
          is(manifests === Math.ceil(rows / 1_000)),
        ],
        ['bytes in PostgreSQL a row, indexes included', written(databaseBytes / rows), '', ''],
        [
          'SQL statements, Redis commands, S3 calls a row',
          `${per('statements')}, ${per('commands')}, ${per('objects')}`,
          '',
          '',
        ],
      ],
    ),
  )
  const costs = after.costs.map(({ name, cpu, memoryMb }, index) => [
    name,
    written(((cpu - before.costs[index]!.cpu) / rows) * 1_000, 2),
    written(first.get(index) ?? Number.NaN),
    written(most.get(index) ?? Number.NaN),
    written(memoryMb),
  ])
  const services = { PostgreSQL: 'postgresCpu', Redis: 'redisCpu', 'S3 stand-in': 'standInCpu' } as const
  for (const [name, what] of Object.entries(services))
    costs.push([name, written(((after.asked[what] - before.asked[what]) / rows) * 1_000, 2), '', '', ''])
  const header = [
    'role',
    'CPU s per 1,000 rows',
    `MB after ${written(warmTasks)} rows`,
    'peak MB',
    'MB at the end',
  ]
  console.log(`\n${markdownTable(header, costs)}`)
}
