// Tests that everything of a finished job can be read again, with a real store and real files.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import test, { after, before } from 'node:test'
import { WARCParser } from 'warcio'
import { openParts, pageOf, runJob } from '../../test/support/finished-job.ts'
import { MapBlobs } from '../../test/support/results-parts.ts'
import { exportJob } from './exports/export-job.ts'
import { exportRaw } from './exports/export-raw.ts'
import { JobOutputs } from './exports/job-outputs.ts'
import { writeManifests } from './manifests.ts'
import { readPage } from './read-page.ts'

const jobId = 'shop'
let folder: string
let parts: Awaited<ReturnType<typeof openParts>>
const outputs = () => [{ path: join(folder, 'live.jsonl'), format: 'jsonl' }]
const job = async () => (await parts.store.jobs.get(jobId))!

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kscrape-job-'))
  parts = await openParts(folder)
  const recordOf = (n: number) => ({ name: `product ${n}`, price: n / 4 })
  await runJob(parts, { jobId, tasks: 1_200, failEvery: 10, recordOf, spec: { output: outputs() } })
})
after(async () => {
  await parts[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

test('each raw page is found by the reference of its attempt', async () => {
  for (const n of [1, 600, 1_200]) {
    const [attempt] = await parts.store.tasks.attempts(jobId, n)
    const page = await readPage(parts.blobs, attempt!.raw!)
    assert.deepEqual(page, pageOf({ url: `https://shop.example/p/${n}` }))
  }
})

test('the output file of a finished job has each record once, and its stored position is still valid', async () => {
  const stdout = new Writable()
  for (const step of ['advance', 'finish'] as const) {
    await using outputs = await JobOutputs.open({ ...parts, stdout }, await job())
    await outputs[step]()
  }
  const lines = (await readFile(join(folder, 'live.jsonl'), 'utf8')).trimEnd().split('\n')
  const names = lines.map(line => JSON.parse(line).name)
  assert.equal(new Set(names).size, 1_080)
  assert.equal(names.length, 1_080)
  const [progress] = await parts.store.outputs.list(jobId)
  assert.equal(progress?.done, true)
})

test('the WARC of a job has every successful page, and its raw Parquet has every page', async () => {
  const path = join(folder, 'job.warc.gz')
  await exportJob({ ...parts, stdout: new Writable() }, await job(), { path, format: 'warc.gz' })
  const urls = new Set<string>()
  for await (const record of new WARCParser([await readFile(path)])) {
    if (record.warcType === 'response') urls.add(record.warcTargetURI!)
  }
  assert.equal(urls.size, 1_080)
  const target = { blobs: new MapBlobs(), prefix: '' }
  assert.equal((await exportRaw(parts, await job(), target, { isOver: true })).rows, 1_200)
})

test('the counts in the manifests of a job equal those in the store', async () => {
  const metadata = await writeManifests(parts, await job())
  assert.deepEqual(metadata.items, { total: 1_200, success: 1_080, errors: 120 })
  assert.equal(metadata.records, 1_080)
  assert.equal(metadata.by_state.failed, 120)
})
