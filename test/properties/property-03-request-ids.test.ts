// Property 3: every request has an id of its own, a UUID, in the header and in the envelope.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { ScrapeApi, uuid } from '../support/scrape-api.ts'

let api: ScrapeApi
before(async () => {
  api = await ScrapeApi.open()
})
after(() => api?.[Symbol.asyncDispose]())

test('Property 3: no two requests have the same id, also when they come together', async () => {
  const seen = new Set<string>()
  const paths = fc.array(fc.constantFrom('/none', '/jobs/none', '', '/a/b'), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(paths, async asked => {
      const answers = await Promise.all(asked.map(path => api.ask(path)))
      for (const { headers, body } of answers) {
        const id = headers.get('x-request-id') ?? ''
        assert.match(id, uuid)
        assert.equal(body.request_id, id)
        assert.ok(!seen.has(id), `${id} came twice`)
        seen.add(id)
      }
    }),
    { numRuns: 25 },
  )
})
