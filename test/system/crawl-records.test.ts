// Tests crawl() of the library: records arrive while the crawl runs, and the crawl ends when the caller stops reading.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { crawl, defineScraper } from '../../src/index.ts'
import { startTestSite, type TestSite } from '../site/index.ts'

const limit = { timeout: 120_000 }
const at = (site: TestSite) => ({
  settings: { allowPrivate: [`${site.host}:${site.port}`] },
  policy: { host: { rate: 'unlimited' as const } },
})

/** A scraper that emits more records than fit into the buffer for a slow reader. */
const many = defineScraper({
  id: 'many',
  async run({ open, emit }) {
    await open()
    for (let index = 0; index < 2_000; index++) emit({ index })
  },
})

test('every record arrives in order, however many records a page gives', limit, async () => {
  await using site = await startTestSite()
  const seen: unknown[] = []
  for await (const record of crawl({ urls: [`${site.url}/about`], scraper: many, ...at(site) }))
    seen.push(record.index)
  assert.deepEqual(
    seen,
    Array.from({ length: 2_000 }, (_, index) => index),
  )
})

test(
  'a break in the loop over records ends the crawl, even if many records wait to be read',
  limit,
  async () => {
    await using site = await startTestSite()
    for await (const record of crawl({
      urls: [`${site.url}/about`, `${site.url}/jobs`],
      scraper: many,
      ...at(site),
    })) {
      assert.equal(record.index, 0)
      break
    }
  },
)

test('a crawl without a data directory leaves nothing behind', limit, async () => {
  await using site = await startTestSite()
  const folder = await mkdtemp(join(tmpdir(), 'kscrape-tmp-'))
  const usual = process.env.TMPDIR
  process.env.TMPDIR = folder
  for await (const _ of crawl({ urls: [`${site.url}/about`], ...at(site) }));
  if (usual === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = usual
  assert.deepEqual(await readdir(folder), [])
  await rm(folder, { recursive: true })
})

test('if a job is refused, both the iteration and the job’s promise report the error', limit, async () => {
  const wrong = crawl({ urls: ['http://127.0.0.1/'] })
  await assert.rejects(
    async () => {
      for await (const _ of wrong);
    },
    { code: 'address.refused' },
  )
  await assert.rejects(wrong.job, { code: 'address.refused' })
})

test('an aborted signal ends the loop over records with the reason of the signal', limit, async () => {
  await using site = await startTestSite()
  using held = site.hold('/about')
  const stop = new AbortController()
  const running = crawl({
    urls: [`${site.url}/about`],
    signal: stop.signal,
    ...at(site),
    settings: { ...at(site).settings, graceMs: 0 },
  })
  const read = assert.rejects(async () => {
    for await (const _ of running);
  }, /enough/)
  await held.arrived()
  stop.abort(new Error('enough'))
  await read
})
