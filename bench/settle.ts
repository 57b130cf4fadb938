// How often is a rendered page complete when it is parsed, compared with Playwright's waits? --runs 20 --busy 2 --seats 4 --only KIND --way NAME
import { type ChildProcess, spawn } from 'node:child_process'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { findBrowser } from '../src/fetch/browser/pool/find-browser.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, median, written } from './measuring/statistics.ts'
import { type Kind, kinds } from './settle/kinds.ts'
import { SettleSite } from './settle/site.ts'
import { type Load, openWays } from './settle/ways.ts'

const { values: flags } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    busy: { type: 'string', default: String(cpus().length) },
    seats: { type: 'string', default: '4' },
    only: { type: 'string', default: '' },
    way: { type: 'string', multiple: true, default: [''] },
  },
})

/** The share of our runs that must be complete. */
const target = 0.995

interface Run {
  kind: Kind
  isComplete: boolean
  ms: number
}

async function compare(): Promise<Map<string, Run[]>> {
  const found = await findBrowser({ wants: 'shell' })
  if (found === null) throw new Error('No browser: apt-get install -y chromium-headless-shell')
  await using site = await SettleSite.start()
  using _busy = keepBusy(Number(flags.busy))
  const runs = new Map<string, Run[]>()
  for (const [name, open] of Object.entries(openWays)) {
    if (!flags.way.some(part => name.includes(part))) continue
    const options = { seats: Number(flags.seats), host: site.host, executablePath: found.executablePath }
    await using way = await open(options)
    runs.set(name, await runAll(site, way.seats))
    console.error(`${name}: ${shareText(runs.get(name)!)} complete`)
  }
  return runs
}

async function runAll(site: SettleSite, seats: Load[]): Promise<Run[]> {
  const chosen = kinds.filter(({ name }) => name.includes(flags.only))
  const left = Array.from({ length: Number(flags.runs) }, (_, run) =>
    chosen.map(kind => ({ kind, run })),
  ).flat()
  const runs: Run[] = []
  const work = async (load: Load) => {
    for (let next = left.shift(); next !== undefined; next = left.shift())
      runs.push(await runOne(site, load, next))
  }
  await Promise.all(seats.map(work))
  return runs
}

async function runOne(
  site: SettleSite,
  load: Load,
  { kind, run }: { kind: Kind; run: number },
): Promise<Run> {
  const startedAt = performance.now()
  const { html, settled } = await load(site.urlOf(kind, run)).catch(error => {
    console.error(`${kind.name}: ${error}`)
    return { html: '', settled: 'failed' }
  })
  const isComplete = kind.marks.every(mark => html.includes(mark))
  if (!isComplete && settled !== null) console.error(`${kind.name}: incomplete (${settled})`)
  return { kind, isComplete, ms: performance.now() - startedAt }
}

/** Starts this many processes that use a whole core each. */
function keepBusy(count: number): Disposable {
  const code = 'for (;;) { if (process.ppid === 1) process.exit() }'
  const children: ChildProcess[] = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', code], { stdio: 'ignore' }),
  )
  return { [Symbol.dispose]: () => children.forEach(child => void child.kill('SIGKILL')) }
}

function report(runs: Map<string, Run[]>): void {
  const head = `${today()}, ${machine()}, load ${loadNow()} at the end; ${flags.runs} runs of each kind, ${flags.seats} pages at a time, ${flags.busy} busy processes beside them. Cells: complete runs, median time.`
  const names = [...runs.keys()]
  const shown = kinds.filter(({ name }) => name.includes(flags.only))
  const rows = shown.map(kind => [kind.name, ...names.map(name => cell(ofKind(runs.get(name)!, kind)))])
  const total = [
    '**all**',
    ...names.map(name => `**${shareText(runs.get(name)!)}**, ${medianText(runs.get(name)!)}`),
  ]
  console.log([head, markdownTable(['kind', ...names], [...rows, total])].join('\n\n'))
  const ours = runs.get('kscrape')
  if (ours && shareOf(ours) < target) process.exitCode = 1
}

const ofKind = (runs: Run[], kind: Kind): Run[] => runs.filter(run => run.kind === kind)
const shareOf = (runs: Run[]): number => runs.filter(({ isComplete }) => isComplete).length / runs.length
const shareText = (runs: Run[]): string => `${written(100 * shareOf(runs), 1)} %`
const medianText = (runs: Run[]): string => `${written(median(runs.map(({ ms }) => ms)))} ms`
const cell = (runs: Run[]): string => `${written(100 * shareOf(runs))} %, ${medianText(runs)}`

report(await compare())
