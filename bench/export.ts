// How fast do exports stream from the store, and how much memory do they take?
// Last result (2 cores, Node 24.21, 100,000 records of 400 bytes, other programs running), rows/s: jsonl 200,000, json 170,000,
// csv 76,000, parquet 56,000, md 120,000, warc.gz 66,000, raw Parquet 16,000, manifests 63,000. Memory grew by at most 62 MB,
// also with 300,000 records. When warc.gz was measured, segments were in gzip. Now an export must compress each page again.
// Run with `node --expose-gc bench/export.ts [tasks]`.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outputFormats } from '../src/model/job.ts'
import { exportJob } from '../src/results/exports/export-job.ts'
import { exportRaw, rawTargetOf } from '../src/results/exports/export-raw.ts'
import { writeManifests } from '../src/results/manifests.ts'
import { openParts, runJob } from '../test/support/finished-job.ts'

const tasks = Number(process.argv[2] ?? 100_000)
const folder = await mkdtemp(join(tmpdir(), 'kscrape-bench-'))
const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`

const recordOf = (n: number) => ({
  name: `Product ${n} of the catalogue`,
  price: n / 4,
  stock: n % 100,
  available: n % 3 === 0,
  tags: ['red', 'large', `t${n % 50}`],
  description: `Number ${n}. `.repeat(20),
})

async function measure(what: string, work: () => Promise<{ rows: number; bytes: number }>): Promise<void> {
  globalThis.gc?.()
  const rssBefore = process.memoryUsage.rss()
  let peak = rssBefore
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 20)
  const start = performance.now()
  const { rows, bytes } = await work()
  const seconds = (performance.now() - start) / 1_000
  clearInterval(watch)
  const rate = Math.round(rows / seconds).toLocaleString('en')
  console.log(
    `${what.padEnd(10)} ${rate.padStart(9)} rows/s  ${megabytes(bytes).padStart(7)} written, memory grew by ${megabytes(peak - rssBefore)}`,
  )
}

{
  await using parts = await openParts(folder)
  await runJob(parts, { jobId: 'bench', tasks, failEvery: 1e9, recordOf })
  const job = (await parts.store.jobs.get('bench'))!
  for (const format of outputFormats) {
    const output = { path: join(folder, `out.${format}`), format }
    await measure(format, () => exportJob({ ...parts, stdout: process.stdout }, job, output))
  }
  await measure('raw', () => exportRaw(parts, job, rawTargetOf(parts.blobs, job.id), { isOver: true }))
  await measure('manifests', async () => ({ rows: (await writeManifests(parts, job)).items.total, bytes: 0 }))
}
await rm(folder, { recursive: true })
