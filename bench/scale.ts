// Does a list job of a million rows stay fast and small? --rows 1000000
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { loadNow, machine, today } from './measuring/machine.ts'
import { PageServer } from './measuring/page-server.ts'
import { kscrape } from './measuring/program.ts'
import { markdownTable, written } from './measuring/statistics.ts'
import { bareInserts } from './scale/bare-inserts.ts'
import { reachedAtMs, type Sample, tasksIn, watchIngest } from './scale/watch-ingest.ts'

const { values: flags } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } })
const rows = Number(flags.rows)
const smallJobRows = 10_000
const jobId = 'scale'
const workDirectory = join(import.meta.dirname, '.work', 'scale')
const data = join(workDirectory, 'data')
const list = join(workDirectory, 'urls.txt')

// The server answers slowly, and the job fetches one page at a time. So it fetches all the time, but leaves the CPU to the ingest.
await using server = await PageServer.start({ answerAfterMs: 500 })
const urlOf = (row: number) => `http://${server.host}/catalogue/item-${row}?variant=blue`

interface Started {
  child: ChildProcess
  startedAt: number
  firstPageAt: Promise<number>
}

function start(...args: string[]): Started {
  const { firstPageAt } = server.watch()
  const limits = ['--concurrency', '1', '--rate', 'unlimited', '--allow-private', server.host]
  const [program = '', ...rest] = kscrape(...args, ...limits, '--data-dir', data, '--quiet')
  const startedAt = performance.now()
  const child = spawn(program, rest, { stdio: ['ignore', 'ignore', 'inherit'] })
  process.once('exit', () => child.kill('SIGKILL'))
  return { child, startedAt, firstPageAt }
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function firstFetchSeconds({ child, startedAt, firstPageAt }: Started): Promise<number> {
  const gone = once(child, 'exit').then(([code]) => Promise.reject(new Error(`ended early with ${code}`)))
  const at = await Promise.race([firstPageAt, gone])
  return (at - startedAt) / 1_000
}

rmSync(workDirectory, { recursive: true, force: true })
mkdirSync(workDirectory, { recursive: true })
await pipeline(async function* () {
  for (let row = 1; row <= rows; row++) yield `${urlOf(row)}\n`
}, createWriteStream(list))

const bare = await bareInserts(workDirectory, urlOf, rows)

const output = ['-o', join(workDirectory, 'out.jsonl'), '--job', jobId, '--no-raw']
const running = start('run', list, ...output)
const store = join(data, 'store.sqlite')
const [samples, firstFetch] = await Promise.all([
  watchIngest(store, jobId, running.child.pid!),
  firstFetchSeconds(running),
])
await killed(running.child)
const resumed = start('jobs', 'resume', jobId)
const resumedFetch = await firstFetchSeconds(resumed)
await killed(resumed.child)
report(samples, firstFetch, resumedFetch, await tasksIn(store, jobId))

function report(taken: Sample[], first: number, resume: number, tasks: number): void {
  const secondsBetween = (from: number, to: number) =>
    (reachedAtMs(taken, to) - reachedAtMs(taken, from)) / 1_000
  const perSecond = rows / secondsBetween(0, rows)
  const barePerSecond = rows / bare.seconds
  const cpuSeconds = taken.at(-1)!.cpuSeconds - taken[0]!.cpuSeconds
  const lastToFirst = secondsBetween(0, rows / 10) / secondsBetween(rows * 0.9, rows)
  const memory = memoryGrowth(taken)
  console.log(`${today()}, ${machine()}, load ${loadNow()} at the end; ${written(rows)} rows.\n`)
  console.log(
    markdownTable(
      ['measurement', 'measured', 'target', 'target met'],
      [
        ['ingest, rows/s', written(perSecond), '', ''],
        ['bare prepared inserts, rows/s', written(barePerSecond), '', ''],
        target('ingest ÷ bare inserts', perSecond / barePerSecond, '≥', 0.5),
        [
          'ingest ÷ bare inserts, by CPU time (fetching included)',
          written(bare.cpuSeconds / cpuSeconds, 2),
          '',
          '',
        ],
        target('speed of the last tenth of the rows ÷ the first tenth', lastToFirst, '≥', 0.8),
        ['the same of the bare inserts', written(bare.lastToFirst, 2), '', ''],
        ['memory at 10,000 rows, MB', written(memory.small), '', ''],
        target('memory growth from 10,000 rows to the peak, MB', memory.growth, '≤', 100),
        target('first fetch, s', first, '≤', 2),
        target('first fetch of `jobs resume` after kill -9, s', resume, '≤', 5),
        ['tasks in the store', written(tasks), `= ${written(rows)}`, tasks === rows ? 'yes' : 'no'],
      ],
    ),
  )
}

function memoryGrowth(taken: Sample[]): { small: number; growth: number } {
  const after = taken.filter(sample => sample.rows >= smallJobRows).map(sample => sample.memoryMb)
  return { small: after[0]!, growth: Math.max(...after) - after[0]! }
}

function target(what: string, value: number, relation: '≥' | '≤', limit: number): string[] {
  const holds = relation === '≥' ? value >= limit : value <= limit
  return [what, written(value, 2), `${relation} ${limit}`, holds ? 'yes' : 'no']
}
