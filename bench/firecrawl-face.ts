// What does Firecrawl's face cost over our own API? The same page, scraped and waited for, by turns. --scrapes 150 --rounds 3
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

/** The same work on both sides: a page that is fetched anew, looked at for what a browser would add, answered with its markdown and links. */
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
  // A service that has just come up on a busy machine may ask for a moment; that is no measurement.
  if (response.status === 503 && tries < 30) {
    await wait(1_000)
    return scrapeMs(service, way, page, tries + 1)
  }
  if (!response.ok) throw new Error(`${way}: ${response.status} ${text}`)
  return performance.now() - startedAt
}

async function round(): Promise<Record<Way, number>> {
  await using service = await openService({ SCRAPER_RATE: 'unlimited' })
  const took: Record<Way, number[]> = { native: [], face: [] }
  const urlOf = (n: number, way: Way) => `http://${service.pages[0].host}/page-${way}-${n}`
  for (let n = 0; n < 20; n += 1)
    for (const way of ['native', 'face'] as const) await scrapeMs(service, way, urlOf(-1 - n, way))
  // By turns, and each first as often as the other, so that neither has the better moments.
  for (let n = 0; n < scrapes; n += 1)
    for (const way of n % 2 === 0 ? (['native', 'face'] as const) : (['face', 'native'] as const))
      took[way].push(await scrapeMs(service, way, urlOf(n, way)))
  return { native: median(took.native), face: median(took.face) }
}

const measured: Array<Record<Way, number>> = []
for (let count = 0; count < rounds; count += 1) measured.push(await round())
const overheads = measured.map(({ native, face }) => (face / native - 1) * 100)

console.log(
  `${today()}, ${machine()}, load ${loadNow()} at the end; ${rounds} rounds of ${scrapes} scrapes each, by turns.\n`,
)
console.log(
  markdownTable(
    ['what', 'median (min–max)', 'asked for', ''],
    [
      [
        '`POST /api/v1/scrape/sync`, ms',
        withRange(
          measured.map(({ native }) => native),
          2,
        ),
        '',
        '',
      ],
      [
        '`POST /v2/scrape`, ms',
        withRange(
          measured.map(({ face }) => face),
          2,
        ),
        '',
        '',
      ],
      [
        'the face over the native API, %',
        withRange(overheads, 1),
        '< 10',
        median(overheads) < 10 ? 'yes' : 'no',
      ],
    ],
  ),
)
