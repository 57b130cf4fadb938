// How much CPU time does a fetched page cost in our client and in bare undici? Run: node bench/fetch.ts [pages]
// Last result (2 cores, other programs running, Node 24.21, 17 KB pages, best of two rounds), ms of CPU per page: ours 0.036, bare
// dispatch 0.029, undici.request 0.048. Gzipped: ours 0.072, bare dispatch with gunzipSync 0.093.
import { fork } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Pool, request } from 'undici'
import { EgressGate, openHttpFetch } from '../src/fetch/http/index.ts'

const pages = Number(process.argv[2] ?? 20_000)
const lanes = 32
const pageText = Array.from(
  { length: 400 },
  (_, i) => `<li><a href="/p/${i * 7919}">Item ${i * 31}</a></li>`,
).join('')

type FetchOne = (url: string) => Promise<number>

function serve(): void {
  const plain = Buffer.from(`<!DOCTYPE html><title>Page</title><ul>${pageText}</ul>`)
  const zipped = gzipSync(plain)
  const server = createServer((incoming, response) => {
    const isZipped = incoming.url!.startsWith('/gzip')
    const body = isZipped ? zipped : plain
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-length': body.length,
      ...(isZipped && { 'content-encoding': 'gzip' }),
    })
    response.end(body)
  })
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))
}

async function measure(name: string, fetchOne: FetchOne, origin: string): Promise<void> {
  await spread(fetchOne, origin, pages / 4)
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  await spread(fetchOne, origin, pages)
  const cpu = process.cpuUsage(cpuBefore)
  const cpuMs = (cpu.user + cpu.system) / 1_000 / pages
  const perSecond = pages / ((performance.now() - startedAt) / 1_000)
  console.log(
    `${name.padEnd(28)} ${cpuMs.toFixed(3)} ms CPU/page  ${perSecond.toFixed(0).padStart(6)} pages/s`,
  )
}

async function spread(fetchOne: FetchOne, origin: string, count: number): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) await fetchOne(`${origin}${next++}`)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

function bareDispatch(pool: Pool): (path: string) => Promise<Buffer> {
  return path =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      pool.dispatch(
        { path, method: 'GET', headers: ['user-agent', 'bench', 'accept-encoding', 'gzip'] },
        {
          onRequestStart() {},
          onResponseStart() {},
          onResponseData: (_controller, chunk) => void chunks.push(chunk),
          onResponseEnd: () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)),
          onResponseError: (_controller, error) => reject(error),
        },
      )
    })
}

async function compare(port: number): Promise<void> {
  const site = `http://127.0.0.1:${port}`
  const pool = new Pool(site, { connections: lanes })
  const bare = bareDispatch(pool)
  await using http = openHttpFetch({
    gate: new EgressGate({ allowPrivate: [`127.0.0.1:${port}`] }),
    userAgent: 'bench',
  })
  const { signal } = new AbortController()
  const timeouts = { connectMs: 10_000, headersMs: 15_000, idleMs: 15_000, totalMs: 60_000 }
  const ours: FetchOne = async url =>
    (await http.fetch({ url, timeouts, maxBytes: 20_971_520 }, signal)).body.length
  const requested: FetchOne = async url => (await (await request(url)).body.arrayBuffer()).byteLength
  for (let round = 1; round <= 2; round++) {
    console.log(`round ${round}`)
    await measure('ours', ours, `${site}/plain/`)
    await measure('bare dispatch', async url => (await bare(url.slice(site.length))).length, `${site}/plain/`)
    await measure('undici.request', requested, `${site}/plain/`)
    await measure('ours, gzip', ours, `${site}/gzip/`)
    const unzipped: FetchOne = async url => gunzipSync(await bare(url.slice(site.length))).length
    await measure('bare dispatch + gunzipSync', unzipped, `${site}/gzip/`)
  }
  await pool.close()
}

if (process.send !== undefined) serve()
else {
  const server = fork(import.meta.filename)
  const port = await new Promise<number>(resolve =>
    server.once('message', message => resolve(message as number)),
  )
  await compare(port).finally(() => server.kill())
}
