// Property 13: a field that the page does not have is null in the result, and the task is completed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { targetSchemas } from '../../src/model/target-schemas.ts'
import { ScrapeApi } from '../support/scrape-api.ts'
import { pageWith, TargetSite, targetPages, targetTypes } from './target-pages.ts'

let site: TargetSite
let api: ScrapeApi
before(async () => {
  site = await TargetSite.open()
  api = await ScrapeApi.open({ settings: { allowPrivate: site.places } })
})
after(async () => {
  await api?.[Symbol.asyncDispose]()
  await site?.[Symbol.asyncDispose]()
})

for (const id of targetTypes) {
  const keys = Object.keys(targetSchemas[id].shape)
  const { schemaType, has } = targetPages[id]

  // Fails if the scraper leaves out empty fields, sets them to '', or fails because the page lacks its name.
  test(`Property 13: a ${id} record has all its fields, with null exactly for those that the page lacks`, async () => {
    assert.deepEqual(Object.keys(has).sort(), keys.toSorted())
    const anyPages = fc.array(fc.subarray(Object.keys(has)), { minLength: 8, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(anyPages, async pages => {
        await Promise.all([[], Object.keys(has), ...pages].map(check))
      }),
      { numRuns: 1, endOnFailure: true },
    )

    async function check(present: string[]): Promise<void> {
      const properties = Object.assign({}, ...present.map(field => has[field]!))
      const { status, body, text } = await site.scrape(api, id, pageWith(schemaType, properties))
      assert.deepEqual([status, body.data?.status], [200, 'completed'], text)
      const result = body.data.result!
      assert.deepEqual(Object.keys(result).sort(), keys.toSorted())
      for (const field of keys)
        assert.equal(result[field] === null, !present.includes(field), `${field}: ${text}`)
    }
  })

  test(`Property 13: the schema of ${id} gives null for each missing field`, () => {
    assert.deepEqual(targetSchemas[id].parse({}), Object.fromEntries(keys.map(key => [key, null])))
  })
}
