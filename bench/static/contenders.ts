// The programs in the comparison, each in its own process, and the speed that kscrape must reach relative to them.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { kscrape } from '../measuring/program.ts'

export interface Contender {
  name: string
  /** The site that the program crawls. Slow programs get the small one. */
  site: 'whole' | 'small'
  command: (place: Place) => string[]
}

export interface Place {
  origin: string
  /** The file for the JSON lines. */
  out: string
  /** An empty folder for state. */
  data: string
}

const bench = join(import.meta.dirname, '..')
const rules = join(import.meta.dirname, 'rules.yaml')

const ours =
  (...more: string[]) =>
  ({ origin, out, data }: Place) => {
    const fast = ['--rate', 'unlimited', '--allow-private', new URL(origin).host]
    const quiet = ['--extract', rules, '-o', out, '--data-dir', data, '--quiet']
    return kscrape('crawl', `${origin}/`, ...fast, ...quiet, ...more)
  }

const withLanes = (lanes: number) => (place: Place) => [
  'env',
  `SCRAPER_LANES=${lanes}`,
  ...ours('--no-raw')(place),
]

/** Debian installs Scrapy for its own Python, and PATH may name another Python first. */
const python = '/usr/bin/python3'
const peer =
  (script: string, ...more: string[]) =>
  ({ origin, out }: Place) => [
    script.endsWith('.py') ? python : process.execPath,
    join(bench, 'peers', script),
    origin,
    out,
    ...more,
  ]

export const names = {
  ours: 'kscrape',
  oursWithRaw: 'kscrape, raw pages stored',
  cheerio: 'Crawlee CheerioCrawler, memory storage',
  http: 'Crawlee HttpCrawler, SAX, dedupe first',
  scrapy: 'Scrapy at its best (lxml, dedupe first, one item)',
  spider: 'spider-rs, pages as events, extraction in Node',
  spiderKept: 'spider-rs, pages kept, then extraction in Node',
  bareOwn: 'bare loop, our document, 2 threads',
  oneLane: 'kscrape, one lane',
  bareOwnOne: 'bare loop, our document, 1 thread',
} as const

export const contenders: Contender[] = [
  { name: names.ours, site: 'whole', command: ours('--no-raw') },
  { name: names.oursWithRaw, site: 'whole', command: ours() },
  { name: names.bareOwn, site: 'whole', command: peer('bare-loop.mjs', 'document', '2') },
  { name: names.oneLane, site: 'whole', command: withLanes(1) },
  { name: 'kscrape, two lanes', site: 'whole', command: withLanes(2) },
  { name: 'kscrape, four lanes', site: 'whole', command: withLanes(4) },
  { name: names.bareOwnOne, site: 'whole', command: peer('bare-loop.mjs', 'document', '1') },
  { name: 'bare loop, htmlparser2, 2 threads', site: 'whole', command: peer('bare-loop.mjs', 'sax', '2') },
  { name: 'bare loop, htmlparser2, 1 thread', site: 'whole', command: peer('bare-loop.mjs', 'sax', '1') },
  { name: names.spider, site: 'small', command: peer('spider-rs.mjs', 'events') },
  { name: names.spiderKept, site: 'small', command: peer('spider-rs.mjs', 'kept') },
  { name: names.http, site: 'small', command: peer('crawlee-http.mjs') },
  { name: names.cheerio, site: 'small', command: peer('crawlee-cheerio.mjs') },
  {
    name: 'Crawlee CheerioCrawler, dedupe first',
    site: 'small',
    command: peer('crawlee-cheerio.mjs', 'dedupe-first'),
  },
  { name: names.scrapy, site: 'small', command: peer('scrapy_best.py') },
  { name: 'Scrapy, tuned', site: 'small', command: peer('scrapy_tuned.py') },
]

/** The required ratios of pages/s in the same round. The bare loop comes first, because other crawlers change between versions. */
export const ratios: Array<{ of: string; to: string; atLeast: number }> = [
  { of: names.ours, to: names.bareOwn, atLeast: 0.68 },
  { of: names.oursWithRaw, to: names.bareOwn, atLeast: 0.45 },
  { of: names.oneLane, to: names.bareOwnOne, atLeast: 0.7 },
  { of: names.ours, to: names.cheerio, atLeast: 17 },
  { of: names.ours, to: names.http, atLeast: 7 },
  { of: names.ours, to: names.scrapy, atLeast: 9 },
  { of: names.ours, to: names.spider, atLeast: 1.7 },
  { of: names.ours, to: names.spiderKept, atLeast: 1.7 },
]

/** Limits on cost, and the lowest accepted pages/s on two cores. */
export const limits = [
  { of: names.ours, cpuSeconds: 0.48, memoryMb: 220, pagesPerSecond: 300 },
  { of: names.oursWithRaw, cpuSeconds: 0.75, memoryMb: 220, pagesPerSecond: 300 },
]

/** The programs that are not installed; each line says how to install one. */
export function missingParts(): string[] {
  const parts = [join(bench, 'node_modules'), '/usr/sbin/nginx', '/usr/bin/wrk', '/usr/bin/scrapy']
  return parts.filter(path => !existsSync(path)).map(path => `${path} is missing: run bench/setup`)
}
