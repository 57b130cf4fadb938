// Tests the export of raw pages of a service as Parquet by domain and date: into its storage, over the API, to the caller's
// machine, and while the job runs.
import assert from 'node:assert/strict'
import { glob, readFile, rm, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { zstdDecompressSync } from 'node:zlib'
import { parquetReadObjects } from 'hyparquet'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { found } from '../../support/eventually.ts'
import { operatorKey, TestService } from '../../support/service.ts'
import { Workplace } from '../run-cli.ts'

interface Report {
  job_id: string
  state: string
  rows: number
  prefix: string
}
interface Files {
  files: Array<{ path: string; bytes: number; url: string }>
  next_cursor: string | null
}

const policy = { host: { rate: 'unlimited' }, retries: { attempts: 0 } }
const paths = ['/', '/blog/', '/about', '/no-such-page']

let site: TestSite
let service: TestService
let place: Workplace
before(async () => {
  site = await startTestSite()
  service = await TestService.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
  place = await Workplace.open()
})
after(async () => {
  await place?.[Symbol.asyncDispose]()
  await service?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

const urls = () => paths.map(path => `${site.url}${path}`)

async function endedJob(job_id: string): Promise<void> {
  await service.ended(await service.submit({ job_id, urls: urls(), policy }))
}

async function urlsIn(bytes: Uint8Array): Promise<string[]> {
  const rows = await parquetReadObjects({
    file: new Uint8Array(bytes).buffer,
    compressors: { ZSTD: input => zstdDecompressSync(input) },
  })
  return rows.map(({ url }) => String(url))
}

const reportOf = async (jobId: string) => (await service.ask<Report>(`/jobs/${jobId}/raw-export`)).body
const start = (jobId: string) => service.ask<Report>(`/jobs/${jobId}/raw-export`, { method: 'POST' })

async function urlsOver(jobId: string): Promise<string[]> {
  const { files } = (await service.ask<Files>(`/jobs/${jobId}/raw-export/files`)).body
  const all = files.map(async ({ url, path, bytes }) => {
    assert.match(path, /^domain=[^/]+\/date=\d{4}-\d\d-\d\d\/part-\d+-[0-9a-f]+\.parquet$/)
    const response = await fetch(`${service.url}${url}`, {
      headers: { authorization: `Bearer ${operatorKey}` },
    })
    assert.equal(response.headers.get('content-length'), String(bytes))
    return await urlsIn(new Uint8Array(await response.arrayBuffer()))
  })
  return (await Promise.all(all)).flat().sort()
}

test('POST /jobs/ID/raw-export writes the pages into the storage of the service, and the files can be downloaded', async () => {
  await endedJob('pages')
  assert.equal((await reportOf('pages')).state, 'none')
  const started = await start('pages')
  assert.equal(started.status, 202, started.text)
  const report = await found('the export', async () => {
    const now = await reportOf('pages')
    return now.state === 'complete' ? now : undefined
  })
  assert.deepEqual([report.rows, report.prefix], [paths.length, 'jobs/pages/raw/'])
  assert.deepEqual(await urlsOver('pages'), urls().sort())
  assert.equal((await start('pages')).body.state, 'complete')
  const unknown = await service.ask('/jobs/pages/raw-export/files/_kscrape.json')
  assert.equal(unknown.status, 404)
})

test('jobs export --raw --server downloads the files, and continues where it was interrupted', async () => {
  await endedJob('export')
  const env = { SCRAPER_API_KEY: operatorKey }
  const run = (...more: string[]) =>
    place.start(['jobs', 'export', 'export', '--raw', '--server', service.url, ...more], { env }).ended
  const inPlace = await run()
  assert.match(inPlace.stderr, /exported 4 raw pages to jobs\/export\/raw\/ in the storage of the service/)

  const { code, stderr } = await run('-o', 'raw')
  assert.deepEqual([code, /wrote raw \(4 raw pages\)/.test(stderr)], [0, true], stderr)
  const files = async () =>
    (await Array.fromAsync(glob('raw/domain=*/date=*/part-*', { cwd: place.path }))).sort()
  const all = await files()
  const rows = await Promise.all(all.map(async name => urlsIn(await readFile(place.file(name)))))
  assert.deepEqual(rows.flat().sort(), urls().sort())
  const [file] = all

  await writeFile(place.file(`${file}.unfinished`), 'half')
  await writeFile(place.file(file!.replace(/part-.*/, 'part-9-0a.parquet')), 'of an earlier export')
  await rm(place.file(file!))
  assert.equal((await run('-o', 'raw')).code, 0)
  assert.deepEqual(await files(), all)

  await writeFile(place.file('mine.txt'), '')
  const refused = await run('-o', '.')
  assert.match(refused.stderr, /contains other files than raw pages of job export/)
  assert.match((await run('-o', 'raw', '--explode', 'tags')).stderr, /--explode is for tables/)
})

test('with `results.raw: parquet`, pages are exported while the job runs, and the rest when the job ends', async () => {
  using hold = site.hold('/held')
  const all = [...urls(), `${site.url}/held`]
  // Several requests may be in flight, so that the withheld page does not block the other pages.
  const spec = { urls: all, policy: { ...policy, host: { rate: 'unlimited', concurrency: 5 } } }
  await service.ask(`/hosts/${site.host}:${site.port}/policy`, {
    method: 'PUT',
    body: { rate: 'unlimited', concurrency: 5 },
  })
  const jobId = await service.submit({ job_id: 'running', ...spec, results: { raw: 'parquet' } })
  await hold.arrived()
  const during = await found('pages of a running job', async () => {
    const found = await urlsOver(jobId)
    return found.length >= 3 ? found : undefined
  })
  assert.deepEqual([during.length, during.some(url => url.endsWith('/held'))], [3, false])
  assert.equal((await reportOf(jobId)).state, 'partial')
  hold.release()
  await service.ended(jobId)
  assert.deepEqual(await urlsOver(jobId), all.sort())
  assert.equal((await reportOf(jobId)).state, 'complete')
})

test('a job without raw pages cannot be exported', async () => {
  const jobId = await service.submit({ urls: [`${site.url}/`], policy, results: { raw: 'none' } })
  await service.ended(jobId)
  const { status, text } = await start(jobId)
  assert.equal(status, 422)
  assert.match(text, /has no raw pages/)
})
