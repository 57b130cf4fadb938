// Tests stored data: raw pages of ended jobs, what is left of a deleted job, and who may read the data directory.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { readdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { deleteJobData } from '../../../src/maintain/delete-job.ts'
import { startTestSite, type TestSite } from '../../site/index.ts'
import { TestEngine } from '../../support/engine.ts'

const limit = { timeout: 120_000 }
const openFor = (site: TestSite, folder?: string) =>
  TestEngine.open({ settings: { allowPrivate: [`${site.host}:${site.port}`], rawRetention: '7d' } }, folder)
const quick = { policy: { host: { rate: 'unlimited' } } } as const

async function segmentsOf(folder: string, jobId: string): Promise<string[]> {
  const path = join(folder, 'blobs/jobs', jobId, 'segments')
  return existsSync(path) ? (await readdir(path)).map(name => join(path, name)) : []
}

test('raw pages of an ended job expire when the next job runs, and its records stay', limit, async () => {
  await using site = await startTestSite()
  await using first = await openFor(site)
  const { job: old } = await first.run({ urls: [`${site.url}/about`], ...quick })
  await first.close()
  const eightDaysAgo = new Date(Date.now() - 8 * 86_400_000)
  for (const path of await segmentsOf(first.folder, old.id)) await utimes(path, eightDaysAgo, eightDaysAgo)

  const second = await openFor(site, first.folder)
  const { job: young } = await second.run({ urls: [`${site.url}/about`], ...quick })
  const records = await second.engine.data.store.records.list(old.id, { after: 0, limit: 10 })
  await second.close()
  assert.deepEqual(await segmentsOf(first.folder, old.id), [])
  assert.equal((await segmentsOf(first.folder, young.id)).length, 1)
  assert.equal(records.length, 1)
  assert.ok(second.heard.some(({ name }) => name === 'raw.expired'))
})

test(
  'after a job is deleted, no blobs, no raw pages as Parquet and no stored input are left',
  limit,
  async () => {
    await using site = await startTestSite()
    await using here = await openFor(site)
    const { data } = here.engine
    const source = join(data.inputs, 'stdin-1.txt')
    await writeFile(source, `${site.url}/about\n`)
    const { job } = await here.run({ results: { raw: 'parquet' }, ...quick }, { source })
    const parquet = join(data.path, 'blobs/jobs', job.id, 'raw')
    assert.ok(existsSync(parquet))
    await deleteJobData(data, job.id)
    assert.equal(existsSync(parquet) && readdirSync(parquet).length > 0, false)
    assert.deepEqual(await segmentsOf(here.folder, job.id), [])
    assert.equal(existsSync(source), false)
  },
)

test('a file of the user is not deleted with the job, wherever it is', limit, async () => {
  await using site = await startTestSite()
  await using here = await openFor(site)
  const { data } = here.engine
  const source = `${data.inputs}-of-mine.txt`
  await writeFile(source, `${site.url}/about\n`)
  const { job } = await here.run({ ...quick }, { source })
  await deleteJobData(data, job.id)
  assert.ok(existsSync(source))
})

test('only the owner of a new data directory can read it', limit, async () => {
  await using site = await startTestSite()
  await using parent = await openFor(site)
  const inside = await TestEngine.open(
    { settings: { dataDir: join(parent.folder, 'new/data') } },
    parent.folder,
  )
  const { mode } = await stat(inside.engine.data.path)
  await inside.close()
  assert.equal(mode & 0o077, 0)
})
