// Raw pages of a service as Parquet by domain and date, on the machine of the caller.
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { parquetMetadata } from 'hyparquet'
import { startTestSite } from '../../site/index.ts'
import { operatorKey, TestService } from '../../support/service.ts'
import { Workplace } from '../run-cli.ts'

test('jobs export --raw --server writes the pages of a job of a service by domain and date', async () => {
  await using site = await startTestSite()
  await using service = await TestService.open({ settings: { allowPrivate: [`${site.host}:${site.port}`] } })
  await using place = await Workplace.open()
  const urls = ['/', '/blog/', '/products/'].map(path => `${site.url}${path}`)
  const policy = { host: { rate: 'unlimited' } }
  const jobId = await service.submit({ job_id: 'pages', urls, policy })
  await service.ended(jobId)
  const args = ['jobs', 'export', jobId, '--raw', '-o', 'raw', '--server', service.url]
  const { code, stderr } = await place.start(args, { env: { SCRAPER_API_KEY: operatorKey } }).ended
  assert.equal(code, 0, stderr)
  assert.match(stderr, /raw pages/)
  const day = new Date().toISOString().slice(0, 10)
  const files = await Array.fromAsync(glob('raw/domain=*/date=*/part-*.parquet', { cwd: place.path }))
  assert.ok(
    files.length > 0 && files.every(file => file.includes(`domain=${site.host}/date=${day.slice(0, 4)}`)),
  )
  let rows = 0
  for (const file of files) {
    const bytes = new Uint8Array(await readFile(place.file(file)))
    rows += Number(parquetMetadata(bytes.buffer).num_rows)
  }
  const counts = await service.service.engine.data.store.jobs.counts(jobId)
  assert.equal(rows, counts.byState.succeeded)
})
