// Does the browser pool stay healthy while it loads many pages, some of them hostile? --pages 2000 --every 100
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startDemoSite } from '../src/demo-site/index.ts'
import { asFailure } from '../src/model/failures.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, median, written } from './measuring/statistics.ts'
import { AppSite, fieldsOf } from './render/site.ts'
import { type Browsers, deadlines, openBrowsers } from './soak/browsers.ts'
import { nameOf, type Trouble, troubleAt } from './soak/hostile.ts'

const { values: flags } = parseArgs({
  options: { pages: { type: 'string', default: '2000' }, every: { type: 'string', default: '100' } },
})
const pages = Number(flags.pages)
const graceMs = 6_000
/** The memory of two browsers at their limit, while one replaces the other. */
const memoryLimitMb = 2_400

interface Outcome {
  page: number
  trouble: string | null
  startedAt: number
  tookMs: number
  code: string
}

const tempFolder = mkdtempSync(join(tmpdir(), 'kscrape-soak-'))
await soak()
rmSync(tempFolder, { recursive: true, force: true })

async function soak(): Promise<void> {
  await using app = await AppSite.start()
  await using hostile = await startDemoSite({ misbehave: true })
  const browsers = openBrowsers([app.origin, hostile.url], tempFolder)
  const outcomes: Outcome[] = []
  const memory: number[] = []
  const watch = setInterval(() => memory.push(browsers.memoryMb()), 1_000)
  let next = 0
  const worker = async () => {
    for (let page = next++; page < pages; page = next++) {
      const trouble = troubleAt(page, Number(flags.every))
      outcomes.push(await visit(browsers, { app: app.origin, hostile: hostile.url }, page, trouble))
      if (outcomes.length % 200 === 0)
        console.error(`${outcomes.length} pages, ${JSON.stringify(browsers.stats())}`)
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: browsers.stats().total }, worker))
  const seconds = (performance.now() - startedAt) / 1_000
  clearInterval(watch)
  const stats = browsers.stats()
  await browsers[Symbol.asyncDispose]()
  report(outcomes, { seconds, peakMb: Math.max(...memory), stats, left: browsers.leftBehind() })
}

async function visit(
  browsers: Browsers,
  origins: { app: string; hostile: string },
  page: number,
  trouble: Trouble | null,
): Promise<Outcome> {
  const startedAt = performance.now()
  if (trouble?.kind === 'signal') signalBrowser(browsers, trouble.signal)
  const opened =
    trouble?.kind === 'page'
      ? browsers.visit(origins.hostile + trouble.path)
      : appPage(browsers, origins.app, page)
  const code = await opened.then(
    () => 'ok',
    error => asFailure(error).code,
  )
  const tookMs = performance.now() - startedAt
  return { page, trouble: trouble && nameOf(trouble), startedAt, tookMs, code }
}

async function appPage(browsers: Browsers, origin: string, page: number): Promise<void> {
  const html = await browsers.visit(`${origin}/app/${page}`, '#done')
  if (!html.includes(fieldsOf(page).sku)) throw new Error(`Page ${page} came without its content`)
}

function signalBrowser(browsers: Browsers, signal: NodeJS.Signals): void {
  const [pid] = browsers.pool.pids()
  if (pid !== undefined) process.kill(-pid, signal)
}

/** The median of the last tenth of the pages divided by that of the first tenth. */
function driftOf(outcomes: Outcome[]): number {
  const times = outcomes.toSorted((one, other) => one.page - other.page).map(({ tookMs }) => tookMs)
  const tenth = Math.max(1, Math.floor(times.length / 10))
  return median(times.slice(-tenth)) / median(times.slice(0, tenth))
}

/** Omits pages that loaded at the same time as a hostile page. They are slow because of that page, not because the pool is old. */
function withoutNeighbours(good: Outcome[], outcomes: Outcome[]): Outcome[] {
  const hostile = outcomes.filter(({ trouble }) => trouble !== null)
  const isBeside = (page: Outcome) =>
    hostile.some(
      other =>
        other.startedAt < page.startedAt + page.tookMs && page.startedAt < other.startedAt + other.tookMs,
    )
  return good.filter(page => !isBeside(page))
}

interface Facts {
  seconds: number
  peakMb: number
  stats: ReturnType<Browsers['stats']>
  left: ReturnType<Browsers['leftBehind']>
}

function report(outcomes: Outcome[], { seconds, peakMb, stats, left }: Facts): void {
  const limitMs = deadlines.taskMs + graceMs
  const good = outcomes.filter(({ trouble }) => trouble === null)
  const lost = good.filter(({ code }) => code !== 'ok')
  const slowest = Math.max(...outcomes.map(({ tookMs }) => tookMs))
  const drift = driftOf(good)
  const rows: Array<[what: string, measured: string, asked: string, isReached: boolean]> = [
    [
      'every task ended, slowest in s',
      written(slowest / 1_000, 1),
      `≤ ${limitMs / 1_000}`,
      outcomes.length === pages && slowest <= limitMs,
    ],
    [
      'ordinary pages that failed',
      `${lost.length} of ${good.length}`,
      '< 2 %',
      lost.length < good.length * 0.02,
    ],
    ['processes left behind', String(left.processes), '0', left.processes === 0],
    ['folders left behind', String(left.folders), '0', left.folders === 0],
    ['peak memory of the browsers, MB', written(peakMb), `≤ ${memoryLimitMb}`, peakMb <= memoryLimitMb],
    [
      'median time of the last tenth of the pages ÷ the first tenth',
      written(drift, 2),
      '≤ 1.10',
      drift <= 1.1,
    ],
    ['seats in use at the end', String(stats.in_use), '0', stats.in_use === 0],
  ]
  const head = `${today()}, ${machine()}, load ${loadNow()} at the end; ${pages} pages, one in ${flags.every} hostile; ${written(pages / seconds, 1)} pages/s, ${stats.recycled_count} browsers recycled; without the pages that loaded beside a hostile one, the last tenth took ${written(driftOf(withoutNeighbours(good, outcomes)), 2)} of the first.`
  const troubles = Object.entries(Object.groupBy(outcomes, ({ trouble }) => trouble ?? 'ordinary')).map(
    ([name, group = []]) => {
      const codes = [...new Set(group.map(({ code }) => code))].join(', ')
      return [
        name,
        String(group.length),
        codes,
        written(Math.max(...group.map(({ tookMs }) => tookMs)) / 1_000, 1),
      ]
    },
  )
  console.log(head)
  console.log(
    `\n${markdownTable(
      ['measurement', 'measured', 'target', 'target met'],
      rows.map(([what, measured, asked, isReached]) => [what, measured, asked, isReached ? 'yes' : 'no']),
    )}`,
  )
  console.log(`\n${markdownTable(['pages', 'number', 'outcome', 'slowest s'], troubles)}`)
  if (rows.some(([, , , isReached]) => !isReached)) process.exitCode = 1
}
