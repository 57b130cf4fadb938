// The settings that the benchmark changes, one at a time: the values of each, and what is measured.
import { AppSite } from '../render/site.ts'
import { appendsOf, commitsOf } from './batches.ts'
import { runList } from './program.ts'
import { TunedSite } from './site.ts'

export interface Sweep {
  name: string
  /** The setting as a user writes it. */
  setting: string
  /** The conditions of the measurement. */
  about: string
  unit: string
  values: string[]
  measure: (value: string) => Promise<number>
}

/** The typical response time of a site on the internet. */
const answerAfterMs = 50

/** Slow settings get fewer pages, so that no measurement takes long. */
const pagesFor = (atOnce: number, most = 2_000): number => Math.min(most, 60 * atOnce)

async function ofList(
  site: { hosts: number; answerAfterMs: number },
  run: { pages: number; flags: string[]; settings?: Record<string, string> },
): Promise<number> {
  await using opened = await TunedSite.start(site)
  await runList({ ...run, urls: opened.urls(run.pages) })
  return opened.pagesPerSecond()
}

export const sweeps: Sweep[] = [
  {
    name: 'connections',
    setting: '`--rate 1000/s --concurrency N`',
    about: `from one host that answers after ${answerAfterMs} ms`,
    unit: 'pages/s',
    values: ['1', '4', '16', '64'],
    measure: value =>
      ofList(
        { hosts: 1, answerAfterMs },
        { pages: pagesFor(Number(value)), flags: ['--no-raw', '--rate', '1000/s', '--concurrency', value] },
      ),
  },
  {
    name: 'concurrency',
    setting: '`SCRAPER_CONCURRENCY`',
    about: `from 100 hosts that answer after ${answerAfterMs} ms, one request at a time to each host`,
    unit: 'pages/s',
    values: ['1', '8', '32', '128'],
    measure: value =>
      ofList(
        { hosts: 100, answerAfterMs },
        {
          pages: pagesFor(Number(value)),
          flags: ['--no-raw', '--rate', '1000/s'],
          settings: { SCRAPER_CONCURRENCY: value },
        },
      ),
  },
  {
    name: 'lanes',
    setting: '`SCRAPER_LANES`',
    about: 'from a host that answers at once; pages of 17 KB with five fields',
    unit: 'pages/s',
    values: ['0', '1', '2'],
    measure: value =>
      ofList(
        { hosts: 1, answerAfterMs: 0 },
        {
          pages: 3_000,
          flags: ['--no-raw', '--rate', 'unlimited', '--concurrency', '32'],
          settings: { SCRAPER_LANES: value },
        },
      ),
  },
  {
    name: 'raw pages',
    setting: 'raw pages',
    about: 'from the same host, with one lane',
    unit: 'pages/s',
    values: ['stored', 'not stored (`--no-raw`)'],
    measure: value =>
      ofList(
        { hosts: 1, answerAfterMs: 0 },
        {
          pages: 3_000,
          flags: [
            ...(value === 'stored' ? [] : ['--no-raw']),
            ...['--rate', 'unlimited', '--concurrency', '32'],
          ],
          settings: { SCRAPER_LANES: '1' },
        },
      ),
  },
  {
    name: 'render pool',
    setting: '`SCRAPER_BROWSER_POOL_SIZE`',
    about: 'of a single-page app, including the start of the browser',
    unit: 'pages/s',
    values: ['1', '2', '4'],
    measure: renderedWith,
  },
  {
    name: 'group commit',
    setting: 'outcomes in one transaction',
    about: 'in SQLite, each with an attempt and a record',
    unit: 'outcomes/s',
    values: ['1', '16', '64', '384'],
    measure: value => commitsOf(Number(value)),
  },
  {
    name: 'segment batch',
    setting: 'raw pages in one append',
    about: 'compressed and synced to the disk',
    unit: 'pages/s',
    values: ['1', '8', '64'],
    measure: value => appendsOf(Number(value)),
  },
]

const renderedPages = 60

async function renderedWith(poolSize: string): Promise<number> {
  await using site = await AppSite.start()
  const urls = Array.from({ length: renderedPages }, (_, n) => `${site.origin}/app/${n}`)
  const flags = [
    '--no-raw',
    '--rate',
    'unlimited',
    '--concurrency',
    '32',
    '--render',
    'always',
    '--wait-for',
    '#done',
  ]
  const seconds = await runList({ urls, flags, settings: { SCRAPER_BROWSER_POOL_SIZE: poolSize } })
  return renderedPages / seconds
}
