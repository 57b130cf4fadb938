// How long does a caller wait for one page of a cluster, beyond the time of the fetch? --calls 200 --answer 100 --beside 0
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { Roles } from './cluster/roles.ts'
import { Services } from './cluster/services.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, written } from './measuring/statistics.ts'

const { values: flags } = parseArgs({
  options: {
    calls: { type: 'string', default: '200' },
    /** How long the site takes to respond, in ms. */
    answer: { type: 'string', default: '100' },
    /** Pages of a job that runs at the same time. */
    beside: { type: 'string', default: '0' },
    profiles: { type: 'string' },
  },
})
const warmUp = 30
const answerMs = Number(flags.answer)
/** How long the site took to respond, by path, measured by the site. */
const tookMs = new Map<string, number>()
let refused = 0

const server = createServer((request, response) => {
  const startedAt = performance.now()
  const isAwaited = request.url!.startsWith('/awaited')
  if (request.url === '/robots.txt') return void response.writeHead(404).end()
  const answer = () => {
    response.setHeader('content-type', 'text/html')
    response.end(`<!DOCTYPE html><title>${request.url}</title><h1>${request.url}</h1>`)
    if (isAwaited) tookMs.set(request.url!, performance.now() - startedAt)
  }
  setTimeout(answer, isAwaited ? answerMs : 20)
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const site = `127.0.0.1:${(server.address() as AddressInfo).port}`
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130))

await using services = await Services.start()
await using roles = await Roles.start({
  ...{ env: { ...services.env, SCRAPER_RATE: 'unlimited' }, site, profiles: flags.profiles },
  ...{ workers: 2, processors: 2 },
})
if (Number(flags.beside) > 0)
  await roles.submit({
    urls: Array.from({ length: Number(flags.beside) }, (_, n) => `http://${site}/beside/${n}`),
    policy: { host: { rate: 'unlimited' } },
  })
for (let call = 0; call < warmUp; call++) await beyondFetchMs(`/awaited/warm-up/${call}`)
const beyond: number[] = []
for (let call = 0; call < Number(flags.calls); call++) beyond.push(await beyondFetchMs(`/awaited/${call}`))
if (flags.profiles !== undefined) console.error(await services.mostAsked())
const sorted = beyond.toSorted((a, b) => a - b)
const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))]!
console.log(
  `${today()}, ${machine()}, load ${loadNow()} at the end; refused as too busy and asked again: ${refused}.\n`,
)
console.log(
  markdownTable(
    [
      '`/scrape/sync` beyond the time of the fetch, ms',
      'median',
      'p90',
      'p99',
      'longest',
      'target',
      'target met',
    ],
    [
      [
        `${flags.calls} calls, one after the other${Number(flags.beside) > 0 ? `, beside a job of ${written(Number(flags.beside))} pages` : ''}`,
        ...[0.5, 0.9, 0.99, 1].map(share => written(at(share), 1)),
        ...['median ≤ 50', at(0.5) <= 50 ? 'yes' : 'no'],
      ],
    ],
  ),
)
process.exit()

async function beyondFetchMs(path: string): Promise<number> {
  for (;;) {
    const startedAt = performance.now()
    const url = `http://${site}${path}`
    const asked = { url, target_type: 'company_website', timeout_s: 30 }
    const answer = await roles
      .ask<{ success: boolean }>('/api/v1/scrape/sync', asked)
      .catch((error: Error) => error)
    if (!(answer instanceof Error)) return performance.now() - startedAt - tookMs.get(path)!
    // On a very busy machine the API refuses requests. These calls are not part of the measurement.
    if (!answer.message.includes('503')) throw answer
    refused += 1
    await new Promise(resolve => setTimeout(resolve, 1_000))
  }
}
