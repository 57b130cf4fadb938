// Tests scrapers of users on rendered pages: waiting, scrolling, and requesting a browser if the page without one is not enough.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { type DemoSite, startDemoSite } from '../../src/demo-site/index.ts'
import type { JobSpecInput } from '../../src/model/job.ts'
import type { PageWay } from '../../src/model/policy/way.ts'
import type { RecordData } from '../../src/model/record.ts'
import { defineScraper } from '../../src/scraper/define-scraper.ts'
import { TestEngine } from '../support/engine.ts'

const growing = defineScraper({
  id: 'growing',
  input: z.object({ url: z.url() }),
  output: z.object({ rows: z.array(z.string()), note: z.string().nullable() }),
  async run({ open, emit }) {
    const noted = await (await open()).waitForContent('#note', { timeoutMs: 5_000 })
    const grown = await noted.scrollForContent({ times: 10, until: '.row:nth-child(3)' })
    emit({ rows: grown.all('.row'), note: grown.text('#note') })
  },
})

const strict = defineScraper({
  id: 'strict',
  async run({ open, emit }) {
    const page = await open()
    page.expect('h1', /Day/)
    emit({ heading: page.text('h1') })
  },
})

interface Outcome {
  states: string[]
  records: RecordData[]
  ways: Array<PageWay | null>
}

async function outcomeOf(site: DemoSite, spec: JobSpecInput): Promise<Outcome> {
  const settings = { allowPrivate: [`${site.host}:${site.port}`] }
  await using here = await TestEngine.open({ settings, scrapers: [growing, strict] })
  const policy = { host: { rate: 'unlimited' as const }, retries: { attempts: 0 } }
  const { job } = await here.run({ policy, ...spec })
  const records = await here.engine.data.store.records.list(job.id, { after: 0, limit: 100 })
  return {
    states: (await here.tasks(job.id)).map(({ state, reason }) => `${state} ${reason}`),
    records: records.map(({ data }) => JSON.parse(data) as RecordData),
    ways: records.map(({ way }) => (way === null ? null : (JSON.parse(way) as PageWay))),
  }
}

test('a scraper can wait for late content and scroll for more', async () => {
  await using site = await startDemoSite({ products: 1, crawlDelaySeconds: 0 })
  const spec = { urls: [`${site.url}/almanac/lazy`], scraperId: 'growing' }

  const { records, ways } = await outcomeOf(site, { ...spec, render: 'always' })

  assert.equal(records[0]?.note, 'late')
  const rows = records[0]?.rows as string[]
  assert.ok(rows.length >= 3, rows.join())
  assert.equal(ways[0]?.way, 'browser')
})

test('without a browser a scraper gets the page as the server sends it; with auto it gets the rendered page', async () => {
  await using site = await startDemoSite({ products: 1, crawlDelaySeconds: 0 })
  const spec = { urls: [`${site.url}/almanac/lazy`], scraperId: 'growing' }

  const plain = await outcomeOf(site, spec)
  assert.deepEqual(plain.records, [{ rows: ['row 1'], note: null }])

  const auto = await outcomeOf(site, { ...spec, render: 'auto' })
  assert.equal(auto.records[0]?.note, 'late')
  assert.match(auto.ways[0]?.why ?? '', /waits for #note/)
})

test('with auto, a scraper that finds no content in its page gets the rendered page', async () => {
  await using site = await startDemoSite({ products: 1, crawlDelaySeconds: 0 })
  const urls = [`${site.url}/almanac/live/20`, `${site.url}/almanac/entry/3`]

  const { records, ways, states } = await outcomeOf(site, { urls, scraperId: 'strict', render: 'auto' })

  assert.deepEqual(states, ['succeeded ok', 'succeeded ok'])
  assert.deepEqual(records.map(({ heading }) => heading).sort(), [
    'Day 20 of the almanac',
    'Day 3 of the almanac',
  ])
  assert.deepEqual(ways.map(way => way?.way).sort(), ['browser', 'http'])
})
