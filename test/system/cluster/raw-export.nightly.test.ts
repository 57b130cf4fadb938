// Tests the export of raw pages of a cluster as Parquet: if an API process is killed midway, no page is lost, and another process
// continues.
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { parquetReadObjects } from 'hyparquet'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { type RoleProcess, TestCluster, until } from '../../support/cluster.ts'
import { Workplace } from '../run-cli.ts'

/** A proxy between the processes and S3. `before` gets every request. A request that `before` refuses gets no response. */
class S3Front implements AsyncDisposable {
  readonly #server: Server
  before: (request: IncomingMessage) => boolean = () => true

  constructor(target: string) {
    const { hostname, port } = new URL(target)
    this.#server = createServer((incoming, outgoing) => {
      if (!this.before(incoming)) return incoming.destroy()
      const { method, url, headers } = incoming
      const forwarded = request({ hostname, port, method, path: url, headers }, answer => {
        outgoing.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(outgoing)
      })
      forwarded.on('error', () => outgoing.destroy())
      incoming.pipe(forwarded)
    })
  }

  async url(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

let site: TestSite
let front: S3Front
let cluster: TestCluster
let place: Workplace
before(async () => {
  site = await startTestSite()
  cluster = await TestCluster.open(
    { SCRAPER_ALLOW_PRIVATE: `127.0.0.1:${site.port},localhost:${site.port}`, SCRAPER_RATE: 'unlimited' },
    async ({ s3 }) => {
      front = new S3Front(s3.url)
      return { S3_ENDPOINT: await front.url() }
    },
  )
  place = await Workplace.open()
})
after(async () => {
  await place?.[Symbol.asyncDispose]()
  await cluster?.[Symbol.asyncDispose]()
  await front?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

const urlOf = (api: RoleProcess): string => /"url":"([^"]+)"/.exec(api.output())![1]!
const key = () => cluster.env.SCRAPER_API_KEY!

async function urlsIn(bytes: Uint8Array): Promise<string[]> {
  const rows = await parquetReadObjects({
    file: new Uint8Array(bytes).buffer,
    compressors: { ZSTD: input => zstdDecompressSync(input) },
  })
  return rows.map(({ url }) => String(url))
}

async function urlsInBucket(jobId: string): Promise<string[]> {
  await using blobs = await cluster.bucket()
  const parts = await Array.fromAsync(blobs.list(`jobs/${jobId}/raw/domain=`))
  const all = await Promise.all(parts.map(async part => urlsIn((await blobs.get(part.key))!)))
  return all.flat().sort()
}

test('if an API process is killed during a raw export, another process continues the export for the CLI', async () => {
  const [first, second, third] = await Promise.all([
    cluster.start(['api'], {}, ['--port', '0']),
    cluster.start(['api'], {}, ['--port', '0']),
    cluster.start(['api'], {}, ['--port', '0']),
    cluster.start(['coordinator', 'ingest', 'http-worker', 'processor']),
  ])
  // Two domains, so that the export has two parts.
  const urls = ['127.0.0.1', 'localhost']
    .flatMap(host => ['/', '/about', '/blog/'].map(path => `http://${host}:${site.port}${path}`))
    .sort()
  const submitted = await fetch(`${urlOf(first!)}/jobs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ urls }),
  })
  const { job_id } = (await submitted.json()) as { job_id: string }
  assert.equal((await cluster.ended(job_id)).state, 'completed')

  /** Kills the process at the moment when it sends this request. */
  const killedAt = async (api: RoleProcess, isPoint: (url: string) => boolean): Promise<void> => {
    let isDead = false
    front.before = ({ method, url = '' }) => {
      if (isDead || method !== 'PUT' || !isPoint(url)) return true
      isDead = true
      api.child.kill('SIGKILL')
      return false
    }
    const headers = { authorization: `Bearer ${key()}` }
    const report = async () =>
      fetch(`${urlOf(api)}/jobs/${job_id}/raw-export`, { method: 'POST', headers }).catch(() => null)
    // The export counts as running until the lease of the earlier process has expired.
    await until('the kill', async () => {
      if (!isDead) await report()
      return isDead && api.child.signalCode === 'SIGKILL'
    })
  }
  let parts = 0
  await killedAt(first!, url => url.includes('/raw/domain') && ++parts === 2)
  let states = 0
  await killedAt(second!, url => url.includes('/raw/_kscrape') && ++states === 2)

  const run = place.start(
    ['jobs', 'export', job_id, '--raw', '--server', urlOf(third!), '-o', 'raw', '--quiet'],
    { env: { SCRAPER_API_KEY: key() } },
  )
  const { code, stderr } = await run.ended
  assert.equal(code, 0, stderr)
  assert.deepEqual(await urlsInBucket(job_id), urls)
  const files = await Array.fromAsync(glob('raw/domain=*/date=*/part-*', { cwd: place.path }))
  const rows = await Promise.all(files.map(async name => urlsIn(await readFile(place.file(name)))))
  assert.deepEqual(rows.flat().sort(), urls)
})
