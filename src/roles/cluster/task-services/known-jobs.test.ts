// Tests which jobs a worker of a cluster has loaded: when it reloads, refuses or drops a job.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryStore } from '../../../../test/support/temporary-store.ts'
import { settingsSchema } from '../../../config/settings.ts'
import { EgressGate } from '../../../fetch/http/index.ts'
import { FakeClock } from '../../../lib/clocks.ts'
import { Failure } from '../../../model/failures.ts'
import { givenSpec } from '../../../model/job.ts'
import { submitJob } from '../../../pipeline/submit/submit-job.ts'
import { Registry } from '../../../scraper/registry.ts'
import { KnownJobs } from './known-jobs.ts'

test('if a limit is raised while a job runs, every process that uses the job learns this once', async () => {
  const clock = new FakeClock()
  await using opened = await openTemporaryStore(clock)
  const { store } = opened
  const dataDir = mkdtempSync(join(tmpdir(), 'kscrape-known-'))
  const parts = { store, clock, gate: new EgressGate({ allowPrivate: [] }), registry: new Registry() }
  const job = await submitJob(parts, givenSpec.parse({ urls: ['https://example.com/'] }))
  const jobs = new KnownJobs(store, settingsSchema.parse({ dataDir }), { load: async () => null })
  assert.equal((await jobs.get(job.id)).spec.llmTokens, job.spec.llmTokens)
  assert.deepEqual(await jobs.look(() => true), { ended: [], cancelled: [], changed: [] })

  await store.jobs.revise(job.id, { ...job.spec, llmTokens: 123_456 })

  const { changed } = await jobs.look(() => true)
  assert.deepEqual(
    changed.map(({ id, spec }) => [id, spec.llmTokens]),
    [[job.id, 123_456]],
  )
  assert.equal((await jobs.get(job.id)).spec.llmTokens, 123_456)
  assert.deepEqual(await jobs.look(() => true), { ended: [], cancelled: [], changed: [] })
  rmSync(dataDir, { recursive: true })
})

test('an ended job is dropped when it is no longer in use', async () => {
  const clock = new FakeClock()
  await using opened = await openTemporaryStore(clock)
  const { store } = opened
  const dataDir = mkdtempSync(join(tmpdir(), 'kscrape-known-'))
  const parts = { store, clock, gate: new EgressGate({ allowPrivate: [] }), registry: new Registry() }
  const job = await submitJob(parts, givenSpec.parse({ urls: ['https://example.com/'] }))
  const jobs = new KnownJobs(store, settingsSchema.parse({ dataDir }), { load: async () => null })
  await jobs.get(job.id)
  await store.jobs.move(job.id, ['pending'], 'cancelled')

  const inUse = await jobs.look(() => true)
  assert.deepEqual([inUse.ended, inUse.cancelled], [[], [job.id]])
  assert.deepEqual((await jobs.look(() => false)).ended, [job.id])
  await assert.rejects(jobs.toFetch(job.id), { code: 'job.cancelled' })
  await store.jobs.move(job.id, ['cancelled'], 'running')
  assert.equal((await jobs.toFetch(job.id)).id, job.id, 'a retried job is loaded again')
  rmSync(dataDir, { recursive: true })
})

test('if the session of a changed job cannot be loaded, the job is checked again', async () => {
  const clock = new FakeClock()
  await using opened = await openTemporaryStore(clock)
  const { store } = opened
  const dataDir = mkdtempSync(join(tmpdir(), 'kscrape-known-'))
  const parts = { store, clock, gate: new EgressGate({ allowPrivate: [] }), registry: new Registry() }
  const job = await submitJob(parts, givenSpec.parse({ urls: ['https://example.com/'], session: 'shop' }))
  let isAway = false
  const load = async () => {
    if (isAway) throw new Failure('storage.failed', 'the bucket is away')
    return null
  }
  const jobs = new KnownJobs(store, settingsSchema.parse({ dataDir }), { load })
  await jobs.get(job.id)
  await store.jobs.revise(job.id, { ...job.spec, llmTokens: 123_456 })

  isAway = true
  assert.deepEqual(await jobs.look(() => true), { ended: [], cancelled: [], changed: [] })
  isAway = false
  assert.equal((await jobs.look(() => true)).changed[0]?.spec.llmTokens, 123_456)
  rmSync(dataDir, { recursive: true })
})

test('a worker knows the workspace of each job, because credentials and browser connections belong to workspaces', async () => {
  const clock = new FakeClock()
  await using opened = await openTemporaryStore(clock)
  const { store } = opened
  const dataDir = mkdtempSync(join(tmpdir(), 'kscrape-known-'))
  const parts = { store, clock, gate: new EgressGate({ allowPrivate: [] }), registry: new Registry() }
  const spec = givenSpec.parse({ urls: ['https://example.com/'] })
  const job = await submitJob(parts, spec, { origin: { workspace: 'alpha' } })
  const jobs = new KnownJobs(store, settingsSchema.parse({ dataDir }), { load: async () => null })
  assert.equal((await jobs.get(job.id)).workspace, 'alpha')
  rmSync(dataDir, { recursive: true })
})
