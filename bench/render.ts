// How fast are pages rendered, compared with Playwright loops and Crawlee? --pages 300 --rounds 1 --only NAME --browser PATH
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findBrowser } from '../src/fetch/browser/pool/find-browser.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, median, withRange, written } from './measuring/statistics.ts'
import { contenders, floorPagesPerSecond, names, ratios } from './render/contenders.ts'
import { type Measure, run } from './render/run.ts'
import { AppSite } from './render/site.ts'

const { values: flags } = parseArgs({
  options: {
    pages: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: [''] },
    browser: { type: 'string' },
    limit: { type: 'string', default: '600' },
  },
})

interface Row {
  name: string
  measures: Measure[]
}

await compare()

async function compare(): Promise<void> {
  const found = await findBrowser({ path: flags.browser, wants: 'shell' })
  if (found === null) throw new Error('No browser: apt-get install -y chromium-headless-shell')
  await using site = await AppSite.start()
  const workDirectory = join(import.meta.dirname, '.work')
  const parts = {
    site,
    pages: Number(flags.pages),
    executablePath: found.executablePath,
    workDirectory,
    limitSeconds: Number(flags.limit),
  }
  const chosen = contenders.filter(({ name }) => flags.only.some(part => name.includes(part)))
  const rows: Row[] = chosen.map(({ name }) => ({ name, measures: [] }))
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const [at, contender] of chosen.entries()) {
      const measure = await run(contender, parts)
      rows[at]!.measures.push(measure)
      console.error(
        `${contender.name.padEnd(42)} ${written(measure.pagesPerSecond, 1).padStart(6)} pages/s  ${measure.problem ?? ''}`,
      )
    }
  }
  report(rows, found.executablePath)
}

function report(rows: Row[], executablePath: string): void {
  const head = `${today()}, ${machine()}, ${executablePath}, load ${loadNow()} at the end; ${flags.pages} pages, ${flags.rounds} rounds.`
  console.log([head, resultsTable(rows), targetsTable(rows)].join('\n\n'))
}

function resultsTable(rows: Row[]): string {
  const header = [
    'program',
    'pages/s',
    'CPU s per page, browser included',
    'peak memory MB',
    'kscrape ÷ this program',
    'all pages and fields correct',
  ]
  return markdownTable(
    header,
    rows.map(({ name, measures }) => [
      name,
      withRange(
        measures.map(each => each.pagesPerSecond),
        1,
      ),
      written(median(measures.map(each => each.cpuSecondsPerPage)), 3),
      written(median(measures.map(each => each.peakMemoryMb))),
      written(ratioTo(rows, name), 2),
      measures.find(each => each.problem !== null)?.problem ?? 'yes',
    ]),
  )
}

function targetsTable(rows: Row[]): string {
  const reached = ratios.map(({ to, atLeast }) => target(`kscrape ÷ ${to}`, ratioTo(rows, to), atLeast))
  const ours = rows.find(({ name }) => name === names.ours)
  const speed = median(ours?.measures.map(each => each.pagesPerSecond) ?? [])
  return markdownTable(
    ['measurement', 'measured', 'target', 'target met'],
    [...reached, target('kscrape: pages/s', speed, floorPagesPerSecond)],
  )
}

function target(what: string, measured: number, atLeast: number): string[] {
  // A verdict needs measurements of both contenders.
  const verdict = !Number.isFinite(measured) ? '–' : measured >= atLeast ? 'yes' : 'no'
  return [what, written(measured, 2), `≥ ${atLeast}`, verdict]
}

/** The median over all rounds of the ratio within each round. */
function ratioTo(rows: Row[], name: string): number {
  const ours = rows.find(row => row.name === names.ours)
  const other = rows.find(row => row.name === name)
  if (ours === undefined || other === undefined) return Number.NaN
  return median(
    ours.measures.map((measure, round) => measure.pagesPerSecond / other.measures[round]!.pagesPerSecond),
  )
}
