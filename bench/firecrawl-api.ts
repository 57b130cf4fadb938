// What does the Firecrawl API cost, compared with our own API? The same page, scraped with both alternately. --scrapes 150 --rounds 3
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { apiKey, type BenchService, openService } from './api/service.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, median, withRange } from './measuring/statistics.ts'

const { values: flags } = parseArgs({
  options: { scrapes: { type: 'string', default: '150' }, rounds: { type: 'string', default: '3' } },
})
const [scrapes, rounds] = [Number(flags.scrapes), Number(flags.rounds)]
const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }

/** The same work on both sides: a fresh fetch of a page, checked for content that needs a browser, returned as markdown and links. */
const ways = {
  native: {
    path: '/api/v1/scrape/sync',
    body: (url: string) => ({ url, target_type: 'page', options: { render: 'auto' } }),
  },
  face: {
    path: '/v2/scrape',
    body: (url: string) => ({ url, formats: ['markdown', 'links'], storeInCache: false }),
  },
} as const
type Way = keyof typeof ways

async function scrapeMs(service: BenchService, way: Way, page: string, tries = 0): Promise<number> {
  const { client } = service
  const { path, body } = ways[way]
  const startedAt = performance.now()
  const response = await fetch(`${client.server}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body(page)),
  })
  const text = await response.text()
  // A service that has just started on a busy machine may answer 503. That is not measured.
  if (response.status === 503 && tries < 30) {
    await wait(1_000)
    return scrapeMs(service, way, page, tries + 1)
  }
  if (!response.ok) throw new Error(`${way}: ${response.status} ${text}`)
  return performance.now() - startedAt
}

interface Measured {
  /** The wall time of one scrape. */
  ms: number
  /** The CPU time of one scrape. On a busy machine the wall time includes other work. */
  cpuMs: number
}

/** User and system time so far; a tick is 10 ms. */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const blocks = 6

/** Measures the two APIs in alternating blocks. Each goes first equally often, so that neither has an advantage. */
async function round(): Promise<Record<Way, Measured>> {
  await using service = await openService({ SCRAPER_RATE: 'unlimited' })
  const took: Record<Way, number[]> = { native: [], face: [] }
  const cpu: Record<Way, number[]> = { native: [], face: [] }
  let count = 0
  const block = async (way: Way, length: number, isCounted: boolean) => {
    const before = cpuMsOf(service.pid)
    for (let n = 0; n < length; n += 1) {
      count += 1
      const ms = await scrapeMs(service, way, `http://${service.pages[0].host}/page-${count}`)
      if (isCounted) took[way].push(ms)
    }
    if (isCounted) cpu[way].push((cpuMsOf(service.pid) - before) / length)
  }
  for (const way of ['native', 'face'] as const) await block(way, 30, false)
  for (let turn = 0; turn < blocks; turn += 1)
    for (const way of turn % 2 === 0 ? (['native', 'face'] as const) : (['face', 'native'] as const))
      await block(way, Math.ceil(scrapes / blocks), true)
  const of = (way: Way): Measured => ({ ms: median(took[way]), cpuMs: median(cpu[way]) })
  return { native: of('native'), face: of('face') }
}

const measured: Array<Record<Way, Measured>> = []
for (let count = 0; count < rounds; count += 1) measured.push(await round())
const overheads = (by: keyof Measured) =>
  measured.map(({ native, face }) => (face[by] / native[by] - 1) * 100)
const listed = (way: Way, by: keyof Measured) =>
  withRange(
    measured.map(one => one[way][by]),
    2,
  )

console.log(
  `${today()}, ${machine()}, load ${loadNow()} at the end; ${rounds} rounds of ${scrapes} scrapes each, alternating.\n`,
)
const isMet = (values: number[]) => (median(values) < 10 ? 'yes' : 'no')
console.log(
  markdownTable(
    ['measurement', 'median (min–max)', 'target', 'target met'],
    [
      ['`POST /api/v1/scrape/sync`, ms of wall time', listed('native', 'ms'), '', ''],
      ['`POST /v2/scrape`, ms of wall time', listed('face', 'ms'), '', ''],
      [
        'the Firecrawl API over the native API, %',
        withRange(overheads('ms'), 1),
        '< 10',
        isMet(overheads('ms')),
      ],
      ['`POST /api/v1/scrape/sync`, ms of CPU time', listed('native', 'cpuMs'), '', ''],
      ['`POST /v2/scrape`, ms of CPU time', listed('face', 'cpuMs'), '', ''],
      [
        'the Firecrawl API over the native API, %',
        withRange(overheads('cpuMs'), 1),
        '< 10',
        isMet(overheads('cpuMs')),
      ],
    ],
  ),
)
