// The tables of the comparison, in markdown, ready for RESULTS.md.
import { markdownTable, median, withRange, written } from '../measuring/statistics.ts'
import { limits, names, ratios } from './contenders.ts'
import type { Measure } from './run.ts'

export interface Row {
  name: string
  pages: number
  /** One measurement per round, in the order of the rounds. */
  measures: Measure[]
}

export function resultsTable(rows: Row[]): string {
  const ours = rows.find(row => row.name === names.ours)
  const header = ['crawler', 'pages', 'pages/s, median (min–max)', 'start-up s', 'CPU s per 1,000 pages']
  return markdownTable(
    [...header, 'peak memory MB', 'kscrape ÷ this program', 'all pages and fields correct'],
    rows.map(row => [
      row.name,
      written(row.pages),
      withRange(row.measures.map(measure => measure.pagesPerSecond)),
      written(median(row.measures.map(measure => measure.startSeconds)), 2),
      written(median(row.measures.map(measure => measure.cpuSecondsPer1000)), 2),
      written(median(row.measures.map(measure => measure.peakMemoryMb))),
      ours ? written(ratio(ours, row), 2) : '–',
      problems(row),
    ]),
  )
}

export function targetsTable(rows: Row[]): string {
  const find = (name: string) => rows.find(row => row.name === name)
  const ratioRows = ratios.flatMap(({ of, to, atLeast }) => {
    const [first, second] = [find(of), find(to)]
    if (!first || !second) return []
    return [
      target(`${of} ÷ ${to}`, ratio(first, second), '≥', atLeast, 2),
      [`the same by CPU time`, written(cpuRatio(first, second), 2), '', ''],
    ]
  })
  const limitRows = limits.flatMap(({ of, cpuSeconds, memoryMb, pagesPerSecond }) => {
    const measures = find(of)?.measures
    if (!measures) return []
    const middle = (read: (measure: Measure) => number) => median(measures.map(read))
    return [
      target(
        `${of}: CPU s per 1,000 pages`,
        middle(each => each.cpuSecondsPer1000),
        '≤',
        cpuSeconds,
        2,
      ),
      target(
        `${of}: peak memory MB`,
        middle(each => each.peakMemoryMb),
        '≤',
        memoryMb,
        0,
      ),
      target(
        `${of}: pages/s`,
        middle(each => each.pagesPerSecond),
        '≥',
        pagesPerSecond,
        0,
      ),
    ]
  })
  return markdownTable(['measurement', 'measured', 'target', 'target met'], [...ratioRows, ...limitRows])
}

/** The median over all rounds of the ratio within each round, because the machine changes between rounds. */
function ratio(first: Row, second: Row): number {
  return median(
    first.measures.map((measure, round) => {
      const other = second.measures[round]
      return other ? measure.pagesPerSecond / other.pagesPerSecond : Number.NaN
    }),
  )
}

/** The pages that the first program crawls per second of CPU time, divided by those of the second program. Other work on the
 *  machine affects this ratio least. */
function cpuRatio(first: Row, second: Row): number {
  return median(
    first.measures.map(
      (measure, round) =>
        (second.measures[round]?.cpuSecondsPer1000 ?? Number.NaN) / measure.cpuSecondsPer1000,
    ),
  )
}

function target(what: string, value: number, relation: '≥' | '≤', limit: number, digits: number): string[] {
  const holds = relation === '≥' ? value >= limit : value <= limit
  // A verdict needs measurements of both contenders.
  const verdict = !Number.isFinite(value) ? '–' : holds ? 'yes' : 'no'
  return [what, written(value, digits), `${relation} ${limit}`, verdict]
}

function problems(row: Row): string {
  const found = row.measures.map(measure => measure.problem).filter(problem => problem !== null)
  return found.length === 0 ? 'yes' : [...new Set(found)].join('; ')
}
