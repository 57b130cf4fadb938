// Property 13: a field that the page does not have is null in the record, and no error.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type TargetType, targetSchemas } from '../../src/model/target-schemas.ts'
import { jsonLdBlock, scrapeMarkup } from '../support/scraper-run.ts'

interface Target {
  schemaType: string
  /** Without it the page is none of the kind. */
  needed: Record<string, unknown>
  /** By field of the record: what has it on the page. */
  has: Record<string, Record<string, unknown>>
}

const address = { '@type': 'PostalAddress', addressLocality: 'Phoenix', addressRegion: 'AZ' }

const targets: Record<TargetType, Target> = {
  job_posting: {
    schemaType: 'JobPosting',
    needed: { title: 'Baker' },
    has: {
      company_name: { hiringOrganization: { name: 'Kestrel' } },
      location: { jobLocation: { '@type': 'Place', address } },
      salary_range: { baseSalary: { currency: 'USD', value: { minValue: 10, maxValue: 20 } } },
      description: { description: 'Bakes bread.' },
    },
  },
  company_website: {
    schemaType: 'Organization',
    needed: { name: 'Kestrel' },
    has: {
      description: { description: 'Makes lamps.' },
      headquarters: { address },
      contact_email: { email: 'info@kestrel.example' },
      contact_phone: { telephone: '+1 602 555 0100' },
      employee_count_range: { numberOfEmployees: { minValue: 51, maxValue: 200 } },
    },
  },
  linkedin_profile: {
    schemaType: 'Person',
    needed: { name: 'Ada Example' },
    has: {
      headline: { jobTitle: 'Engineer' },
      current_company: { worksFor: { name: 'Kestrel' } },
      location: { address },
      summary: { description: 'Builds engines.' },
    },
  },
}

for (const [id, target] of Object.entries(targets) as Array<[TargetType, Target]>) {
  const keys = Object.keys(targetSchemas[id].shape)

  test(`Property 13: ${id} has all its keys, and null for exactly what the page lacks`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray(Object.keys(target.has)), async present => {
        const parts = present.map(field => target.has[field]!)
        const thing = Object.assign({ '@type': target.schemaType }, target.needed, ...parts)
        const [record] = await scrapeMarkup(id, jsonLdBlock(thing))
        assert.deepEqual(Object.keys(record!.data).sort(), keys.toSorted())
        for (const field of Object.keys(target.has))
          assert.equal(record!.data[field] !== null, present.includes(field), field)
      }),
      { numRuns: 40 },
    )
  })

  test(`Property 13: the schema of ${id} gives null for each field that is not there`, () => {
    assert.deepEqual(targetSchemas[id].parse({}), Object.fromEntries(keys.map(key => [key, null])))
  })
}
