// How fast does the service answer, accept and ingest, compared with a bare Fastify route? --seconds 10 --rounds 3 --rows 1000000
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { cpuMs } from './api/cpu-time.ts'
import { generator, load } from './api/load.ts'
import { apiKey, type BenchService, ended, openService } from './api/service.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, median, withRange } from './measuring/statistics.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    rows: { type: 'string', default: '1000000' },
  },
})
const seconds = Number(flags.seconds)
const rounds = Number(flags.rounds)
const bigRows = Number(flags.rows)
const connections = 64
const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }

const bareReads: number[] = []
const reads: number[] = []
/** CPU time per response: that of the bare Fastify route divided by that of our status route. */
const cpuRatios: number[] = []
const submits: number[] = []
const ingestSeconds: number[] = []
const startSeconds: number[] = []
let refused = 0

for (let round = 0; round < rounds; round += 1) {
  await using service = await openService()
  const { jobId } = await service.client.jobs.create({ urls: [`http://${service.pages[0].host}/`] })
  await service.client.jobs.wait(jobId)
  await measureReads(service, jobId)
  await measureSubmits(service)
  // Submitted jobs keep waiting for their host, so the rest is measured on a new service.
  await using fresh = await openService()
  ingestSeconds.push(await ingested(fresh, 100_000))
  startSeconds.push(await startedBehind(fresh, bigRows))
}

const ratios = reads.map((perSecond, round) => perSecond / bareReads[round]!)
console.log(
  `${today()}, ${machine()}, load ${loadNow()} at the end; ${rounds} rounds of ${seconds} s, ${connections} connections, ${generator()}.\n`,
)
console.log(
  markdownTable(
    ['measurement', 'median (min–max)', 'target', 'target met'],
    [
      ['a bare Fastify route with a response of the same size, requests/s', withRange(bareReads), '', ''],
      ['`GET /jobs/{id}/status`, requests/s', withRange(reads), '', ''],
      ['status ÷ bare route', withRange(ratios, 2), '≥ 0.5', isMet(median(ratios) >= 0.5)],
      ['status ÷ bare route, by CPU time per response', withRange(cpuRatios, 2), '', ''],
      [
        '`POST /jobs` with one URL, durable, requests/s',
        withRange(submits),
        '≥ 400',
        isMet(median(submits) >= 400),
      ],
      [
        'an upload of 100,000 lines ingested, s',
        withRange(ingestSeconds, 2),
        '≤ 5',
        isMet(median(ingestSeconds) <= 5),
      ],
      [
        `a small job behind one of ${bigRows.toLocaleString('en')} rows, until its first request, s`,
        ...[withRange(startSeconds, 2), '≤ 2', isMet(median(startSeconds) <= 2)],
      ],
      ['responses without 2xx', String(refused), '0', isMet(refused === 0)],
    ],
  ),
)

function isMet(met: boolean): string {
  return met ? 'yes' : 'no'
}

/** Measures one server after the other, so that they do not compete for the CPU. */
async function measureReads({ client, pid }: BenchService, jobId: string): Promise<void> {
  const url = `${client.server}/jobs/${jobId}/status`
  const size = (await (await fetch(url, { headers })).text()).length
  const bare = spawn(
    process.execPath,
    [new URL('./api/bare.ts', import.meta.url).pathname, String(size - 11)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [address] = (await once(bare.stdout!.setEncoding('utf8'), 'data')) as [string]
  const bareUrl = `${address.trim()}/jobs/${jobId}/status`
  const read = (from: string, length: number) => load({ url: from, connections, seconds: length, headers })
  const measured = async (from: string, served: number) => {
    await read(from, 1)
    const before = cpuMs(served)
    const answered = await read(from, seconds)
    return { ...answered, cpuUs: ((cpuMs(served) - before) * 1_000) / (answered.perSecond * seconds) }
  }
  const ceiling = await measured(bareUrl, bare.pid!)
  await ended(bare)
  const answered = await measured(url, pid)
  bareReads.push(ceiling.perSecond)
  reads.push(answered.perSecond)
  cpuRatios.push(ceiling.cpuUs / answered.cpuUs)
  refused += answered.refused
}

async function measureSubmits({ client, pages }: BenchService): Promise<void> {
  const body = JSON.stringify({ urls: [`http://${pages[0].host}/page`] })
  const answered = await load({ url: `${client.server}/jobs`, connections, seconds, headers, body })
  submits.push(answered.perSecond)
  refused += answered.refused
}

function lines(host: string, count: number): Blob {
  return new Blob([Array.from({ length: count }, (_, n) => `http://${host}/page-${n}\n`).join('')])
}

/** The time from the submission of the job until all its rows are tasks, in seconds. */
async function ingested({ client, pages }: BenchService, count: number): Promise<number> {
  const { uploadId } = await client.uploads.send(lines(pages[0].host, count), { fileName: 'urls.txt' })
  const startedAt = performance.now()
  const { jobId } = await client.jobs.create({ uploadId })
  for (;;) {
    const { ingest, counts } = await client.jobs.get(jobId)
    if (ingest.done && counts.tasks === count) break
    await wait(20)
  }
  const tookMs = performance.now() - startedAt
  await client.jobs.cancel(jobId)
  return tookMs / 1_000
}

/** The time until a small job starts, while a large job ingests its rows and runs at full speed. */
async function startedBehind({ client, pages }: BenchService, count: number): Promise<number> {
  const [busy, quiet] = pages
  const policy = { host: { rate: 'unlimited' as const, concurrency: 50 } }
  const { uploadId } = await client.uploads.send(lines(busy.host, count), { fileName: 'urls.txt' })
  const big = await client.jobs.create({ uploadId, policy })
  while ((await client.jobs.get(big.jobId)).counts.records === 0) await wait(50)
  const watched = quiet.watch()
  const startedAt = performance.now()
  await client.jobs.create({ urls: [`http://${quiet.host}/`] })
  const tookMs = (await watched.firstRequestAt) - startedAt
  await client.jobs.cancel(big.jobId)
  return tookMs / 1_000
}
