// Tests scrapers with code whose host other processes request too. If a request misses its slot, it gets another slot, and the
// code does not notice.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { EgressGate } from '../../fetch/http/index.ts'
import { hostOf } from '../../frontier/canonical-url.ts'
import { FakeClock } from '../../lib/clocks.ts'
import type { TaskReport, TimedTask } from '../../model/lane.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { neverLapses, type PermitRequest } from '../../ports/permits.ts'
import { defineScraper, type Scraper } from '../../scraper/define-scraper.ts'
import { inForce } from '../submit/policy-in-force.ts'
import { parseJobSpec } from '../submit/submit-job.ts'
import { Lane, type LaneParts } from '../work/lane/lane.ts'

async function startSite() {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url!)
    response.end('<h1>Hi</h1>')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, asked, [Symbol.asyncDispose]: async () => void server.close() }
}

/** Runs one task of the scraper in a lane, with a slot that is due now. `goodUntil` sets when permits expire. */
async function runInLane(
  scraper: Scraper,
  site: string,
  clock: FakeClock,
  goodUntil: (request: PermitRequest) => number,
  mayBegin: LaneParts['mayBegin'] = () => true,
) {
  const permits: PermitRequest[] = []
  const { promise, resolve } = Promise.withResolvers<TaskReport[]>()
  const askPermit = async (request: PermitRequest) => {
    permits.push(request)
    return goodUntil(request)
  }
  const http = { gate: new EgressGate({ allowPrivate: [new URL(site).host] }), caFile: null }
  await using lane = new Lane({
    ...{ clock, askPermit, http, mayBegin, report: resolve, name: 'lane', blobs: {} as Blobs },
    scraper: () => scraper,
  })
  const spec = inForce(parseJobSpec({ urls: [site], scraperId: scraper.id, results: { raw: 'none' } }))
  const own = { id: 'job', kind: 'list', workspace: 'default', spec } as const
  lane.openJob({ ...own, userAgent: 'kscrape-test', cookies: null, slots: 1 })
  const task: TimedTask = {
    ...{ jobId: 'job', n: 1, attempt: 1, charged: 0, kind: 'page', depth: 0, priority: 0 },
    ...{ url: `${site}/`, host: hostOf(site), input: null, itemId: null, way: 'http', wayWhy: null },
    ...{ startAt: clock.now(), gapMs: 100, goodForMs: 5 },
  }
  lane.run({ tasks: [task] })
  const [report] = await promise
  return { failure: report!.failure, records: report!.records.length, permits }
}

test('if a page that a scraper requests misses its slot, only this request waits for a new slot, and the code runs once', async () => {
  await using site = await startSite()
  const clock = new FakeClock()
  let runs = 0
  const slow = defineScraper({
    id: 'slow',
    async run({ open, emit }) {
      runs += 1
      clock.advance(50)
      emit({ title: (await open()).text('h1') })
    },
  })
  const { permits, ...ended } = await runInLane(slow, site.url, clock, () => neverLapses)
  assert.deepEqual(ended, { failure: null, records: 1 })
  assert.deepEqual([runs, permits.map(({ lapsed }) => lapsed), site.asked], [1, [1], ['/']])
})

test('a page that another task fetched before the new slot is not requested again', async () => {
  await using site = await startSite()
  const clock = new FakeClock()
  const slow = defineScraper({
    id: 'slow',
    async run({ open }) {
      clock.advance(50)
      await open()
    },
  })
  let isOurs = true
  const goodUntil = () => {
    isOurs = false
    return neverLapses
  }
  const { failure } = await runInLane(slow, site.url, clock, goodUntil, () => isOurs)
  assert.deepEqual([failure?.code, site.asked], ['worker.stopping', []])
})

test('if the slot of a further page expires before the page is requested, the page gets another slot', async () => {
  await using site = await startSite()
  const clock = new FakeClock()
  const two = defineScraper({
    id: 'two',
    async run({ open, emit }) {
      for (const path of ['/', '/more']) emit({ title: (await open(site.url + path)).text('h1') })
    },
  })
  const late = ({ lapsed = 0 }: PermitRequest) => (lapsed < 2 ? clock.now() - 1 : neverLapses)
  const { permits, ...ended } = await runInLane(two, site.url, clock, late)
  assert.deepEqual(ended, { failure: null, records: 2 })
  assert.deepEqual(
    permits.map(({ url, lapsed }) => [url, lapsed]),
    [0, 1, 2].map(lapsed => [`${site.url}/more`, lapsed]),
  )
  assert.deepEqual(site.asked, ['/', '/more'])
})
