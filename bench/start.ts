// How fast does the program start? Wall time of --help, and of `scrape` until its first request. --times 10
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadNow, machine, today } from './measuring/machine.ts'
import { PageServer } from './measuring/page-server.ts'
import { kscrape } from './measuring/program.ts'
import { markdownTable, median, withRange } from './measuring/statistics.ts'

const { values: flags } = parseArgs({ options: { times: { type: 'string', default: '10' } } })
const data = join(import.meta.dirname, '.work', 'start')
await using server = await PageServer.start({ answerAfterMs: 0 })

const helpMs: number[] = []
const firstRequestMs: number[] = []
const firstPageMs: number[] = []
const scrapeMs: number[] = []
for (let time = 0; time < Number(flags.times); time++) {
  helpMs.push(await wallMs(kscrape('--help')))
  rmSync(data, { recursive: true, force: true })
  const startedAt = performance.now()
  const watched = server.watch()
  const where = ['--allow-private', server.host, '--data-dir', data]
  scrapeMs.push(await wallMs(kscrape('scrape', `http://${server.host}/page`, ...where)))
  firstRequestMs.push((await watched.firstRequestAt) - startedAt)
  firstPageMs.push((await watched.firstPageAt) - startedAt)
}

console.log(`${today()}, ${machine()}, load ${loadNow()} at the end; ${flags.times} times.\n`)
console.log(
  markdownTable(
    ['measurement', 'ms, median (min–max)', 'target', 'target met'],
    [
      row('`kscrape --help`', helpMs, 300),
      row('`kscrape scrape`, until its first request (robots.txt)', firstRequestMs, 250),
      row('`kscrape scrape`, until it requests the page', firstPageMs, 1_000),
      ['`kscrape scrape`, total', withRange(scrapeMs), '', ''],
    ],
  ),
)

function row(what: string, ms: number[], limit: number): string[] {
  return [what, withRange(ms), `< ${limit}`, median(ms) < limit ? 'yes' : 'no']
}

async function wallMs([program = '', ...args]: string[]): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const [exitCode] = await once(child, 'exit')
  if (exitCode !== 0) throw new Error(`${args.slice(1).join(' ')} ended with ${exitCode}`)
  return performance.now() - startedAt
}
