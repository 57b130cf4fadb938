// Property 36, at the scrape face: at one site a single scrape goes before batches, and the smaller batch before the larger.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ScrapeApi } from '../support/scrape-api.ts'

// Of every five starts one goes to the batch that waited longest: up to three in a row show the order by itself.
const anySizes = fc.record({
  small: fc.integer({ min: 2, max: 3 }),
  more: fc.integer({ min: 1, max: 5 }),
  order: fc.shuffledSubarray(['single', 'small', 'large'] as const, { minLength: 3 }),
})

test('Property 36: in whatever order they come', async () => {
  await fc.assert(
    fc.asyncProperty(anySizes, async ({ small, more, order }) => {
      // What the longest waiting has coming is kept from job to job: a service of its own starts with nothing.
      await using api = await ScrapeApi.open()
      const path = '/turns'
      const { site } = api
      const sizes = { single: 1, small, large: small + more }
      for (const name of ['hold', ...order]) site.serve(`${path}/${name}`, '<title>page</title>')
      const target = (name: string) => ({ url: `${site.url}${path}/${name}`, target_type: 'page' })
      using hold = site.hold(`${path}/hold`)
      await api.scrape(target('hold'))
      await hold.arrived()

      const jobs = []
      for (const name of order)
        jobs.push(await api.batch(Array.from({ length: sizes[name] }, () => target(name))))
      hold.release()
      for (const { job_id } of jobs) await api.service.ended(job_id)

      const asked = site.requests.map(({ url }) => url).filter(url => url.startsWith(path))
      const expected = (['single', 'small', 'large'] as const).flatMap(name =>
        new Array<string>(sizes[name]).fill(`${path}/${name}`),
      )
      assert.deepEqual(asked.slice(1), expected)
    }),
    { numRuns: 6 },
  )
})
