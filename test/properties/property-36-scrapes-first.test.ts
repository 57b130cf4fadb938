// Property 36, in the scrape API: single scrapes start before batches, and smaller batches before larger ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ScrapeApi } from '../support/scrape-api.ts'

/** At most three batches start, because every fifth start goes to the batch that has waited longest, which would change the order. */
const anyArrivals = fc.record({
  small: fc.integer({ min: 2, max: 3 }),
  more: fc.integer({ min: 1, max: 5 }),
  singles: fc.integer({ min: 5, max: 8 }),
  order: fc.shuffledSubarray(['singles', 'small', 'large'] as const, { minLength: 3 }),
})

// Fails if single scrapes share the slots of batches (`single: false`), if the larger batch runs first, or if jobs run in the
// order of arrival.
test('Property 36: single scrapes run first, then the smaller batch, whatever their order of arrival', async () => {
  await fc.assert(
    fc.asyncProperty(anyArrivals, async ({ small, more, singles, order }) => {
      // Each case needs a new service, because a service remembers which batch has waited longest.
      await using api = await ScrapeApi.open()
      const { site } = api
      const sizes = { singles, small, large: small + more }
      for (const name of ['hold', ...order]) site.serve(`/turns/${name}`, '<title>page</title>')
      const target = (name: string) => ({ url: `${site.url}/turns/${name}`, target_type: 'page' })
      using hold = site.hold('/turns/hold')
      await api.scrape(target('hold'))
      await hold.arrived()

      const jobs: string[] = []
      for (const name of order) {
        const targets = Array.from({ length: sizes[name] }, () => target(name))
        if (name !== 'singles') jobs.push((await api.batch(targets)).job_id)
        else for (const single of targets) jobs.push((await api.scrape(single)).job_id)
      }
      hold.release()
      for (const jobId of jobs) await api.service.ended(jobId)

      const asked = site.requests.map(({ url }) => url).filter(url => url.startsWith('/turns/'))
      const expected = (['singles', 'small', 'large'] as const).flatMap(name =>
        new Array<string>(sizes[name]).fill(`/turns/${name}`),
      )
      assert.deepEqual(asked.slice(1), expected)
    }),
    { numRuns: 4 },
  )
})
