// Property 37: the queue metrics equal the number of waiting and running tasks.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { startTestSite, type TestSite } from '../site/index.ts'
import { ScrapeApi } from '../support/scrape-api.ts'

interface QueueStats {
  queue_depth: number
  active_workers: number
  avg_duration: number | null
}

let sites: TestSite[]
let api: ScrapeApi
before(async () => {
  sites = await Promise.all([startTestSite(), startTestSite(), startTestSite()])
  const allowPrivate = sites.map(({ host, port }) => `${host}:${port}`)
  api = await ScrapeApi.open({ settings: { allowPrivate } })
  for (const site of sites) await api.meet(site)
})
after(async () => {
  await api?.[Symbol.asyncDispose]()
  for (const site of sites) await site[Symbol.asyncDispose]()
})

const stats = async (): Promise<QueueStats> =>
  (await api.service.ask<{ queue: QueueStats }>('/health')).body.queue

test('Property 37: running tasks count as active, waiting tasks as depth, and both are zero in the end', async () => {
  let round = 0
  const counts = fc.tuple(fc.nat(5), fc.nat(5), fc.nat(5)).filter(each => each.some(count => count > 0))
  await fc.assert(
    fc.asyncProperty(counts, async each => {
      const path = `/stats-${round++}`
      using _let = new DisposableStack()
      const holds = sites.map(site => _let.use(site.hold(path)))
      for (const site of sites) site.serve(path, '<title>page</title>')
      const targets = each.flatMap((count, index) =>
        Array.from({ length: count }, () => ({ url: `${sites[index]!.url}${path}`, target_type: 'page' })),
      )
      const { job_id } = await api.batch(targets)
      // Each site has one request in flight at a time.
      for (const [index, count] of each.entries()) if (count > 0) await holds[index]!.arrived()
      const active = each.filter(count => count > 0).length
      const during = await stats()
      assert.deepEqual([during.active_workers, during.queue_depth], [active, targets.length - active])
      for (const hold of holds) hold.release()
      await api.service.ended(job_id)
      const after = await stats()
      assert.deepEqual([after.active_workers, after.queue_depth], [0, 0])
      assert.ok(after.avg_duration! > 0)
    }),
    { numRuns: 8 },
  )
})
