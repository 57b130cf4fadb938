// Property 3: every request has its own id, a UUID, in the header and in the envelope, whatever id the caller sends.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { ScrapeApi, uuid } from '../support/scrape-api.ts'

let api: ScrapeApi
before(async () => {
  api = await ScrapeApi.open()
})
after(() => api?.[Symbol.asyncDispose]())

const anyPath = fc.constantFrom('/none', '/jobs/none', '', '/a/b')
/** No id, a UUID, or any other text. */
const anySentId = fc.oneof(
  fc.constant(null),
  fc.constant('11111111-1111-4111-8111-111111111111'),
  fc.stringMatching(/^[A-Za-z0-9._-]{1,40}$/),
)

// Fails if the service uses the caller's `X-Request-ID` as the id of the request, always or only if it is a UUID.
test('Property 3: no two requests have the same id, even if callers send the same id or requests are concurrent', async () => {
  const seen = new Set<string>()
  const asks = fc.array(fc.record({ path: anyPath, sent: anySentId }), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(asks, async asked => {
      const answers = await Promise.all(
        asked.map(({ path, sent }) =>
          api.ask(path, { headers: sent === null ? {} : { 'x-request-id': sent } }),
        ),
      )
      answers.forEach(({ headers, body }, index) => {
        const id = headers.get('x-request-id') ?? ''
        assert.match(id, uuid)
        assert.equal(body.request_id, id)
        assert.ok(!seen.has(id), `${id} was used twice`)
        seen.add(id)
        assert.equal(headers.get('x-client-request-id'), asked[index]!.sent)
      })
    }),
    { numRuns: 20 },
  )
})
