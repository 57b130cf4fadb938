// Tests the built-in scrapers with their golden pages. UPDATE_GOLDEN=1 rewrites the expected records.
import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { openCatalogue } from '../../src/roles/scrapers/catalogue.ts'
import { certify } from '../../src/roles/scrapers/certify.ts'
import {
  expectationOf,
  findAllGoldenCases,
  madePage,
  writeExpectation,
} from '../../src/roles/scrapers/golden-cases.ts'
import { answeringAll } from '../../src/roles/scrapers/replay.ts'
import { type Outcome, runOver } from '../../src/roles/scrapers/run-over.ts'
import { builtinScrapers } from '../../src/scraper/builtin/index.ts'
import type { Scraper } from '../../src/scraper/define-scraper.ts'
import { Registry } from '../../src/scraper/registry.ts'
import { temporaryFile } from '../support/temporary-file.ts'

const registry = new Registry()
const nowhere = join(import.meta.dirname, 'no-scrapers-of-their-own')
const goldenOf = (id: string) => findAllGoldenCases(nowhere, id)

/** The documented keys of each target type. */
const keys: Record<string, string[]> = {
  company_website: [
    'company_name',
    'description',
    'industry',
    'employee_count_range',
    'headquarters',
    'contact_email',
    'contact_phone',
  ],
  job_posting: ['job_title', 'company_name', 'location', 'salary_range', 'description'],
  linkedin_profile: ['name', 'headline', 'current_company', 'location', 'summary'],
}

function runOn(scraper: Scraper, html: string, name: string): Promise<Outcome> {
  const url = `https://golden.example/${name}`
  const page = madePage(url, Buffer.from(html), { 'content-type': 'text/html; charset=utf-8' })
  return runOver(scraper, { url }, answeringAll(page, name))
}

for (const scraper of builtinScrapers) {
  for (const golden of goldenOf(scraper.id)) {
    const expected = expectationOf(golden.folder)
    const run = () => runOver(scraper, golden.start, golden.open())

    if (expected && 'failure' in expected)
      test(`${scraper.id} refuses the page "${golden.name}"`, async () => {
        assert.equal((await run()).failure?.code, expected.failure)
      })
    else
      test(`${scraper.id} extracts the expected record from "${golden.name}"`, async () => {
        const outcome = await run()
        assert.equal(outcome.failure, null)
        if (process.env.UPDATE_GOLDEN !== undefined) writeExpectation(golden.folder, outcome)
        assert.deepEqual(outcome.records, (expectationOf(golden.folder) as typeof expected)?.records)
        if (scraper.output) assertExplained(outcome.records[0]!, outcome.provenance[0]!)
      })
  }

  test(`${scraper.id} has golden pages, and passes the documented checks`, async () => {
    await using file = await temporaryFile('kscrape.config.yaml', '')
    const { passed, checks } = await certify(await openCatalogue(dirname(file.path)), scraper.id)
    assert.ok(passed, JSON.stringify(checks.filter(check => !check.passed)))
  })
}

/** Asserts that every field has a source, or a reason why it is null. */
function assertExplained(record: Record<string, unknown>, provenance: Outcome['provenance'][number]): void {
  for (const [field, value] of Object.entries(record)) {
    assert.ok(provenance[field], `${field} has a source`)
    if (value === null) assert.ok(provenance[field].why, `${field} says why it is null`)
  }
}

for (const id of ['article', 'product', 'company_website', 'job_posting', 'linkedin_profile']) {
  test(`${id} has at least three golden pages`, () => {
    assert.ok(goldenOf(id).length >= 3)
  })

  test(`${id} returns every key for any page, with null if the page has no value`, async () => {
    const scraper = registry.get(id)
    const words = fc.constantFrom('h1', 'p', 'dl', 'table', 'address', 'script', 'article')
    const page = fc.array(fc.tuple(words, fc.string({ unit: 'grapheme', maxLength: 40 })), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(page, async parts => {
        const html = parts.map(([tag, text]) => `<${tag}>${text}</${tag}>`).join('')
        const { records, failure } = await runOn(scraper, `<title>T</title>${html}`, id)
        assert.ok(records.length === 1 || failure?.code === 'extract.site-changed', String(failure))
        if (records[0]) assert.deepEqual(Object.keys(records[0]).sort(), keysOf(scraper))
      }),
      { numRuns: 30 },
    )
  })
}

function keysOf(scraper: Scraper): string[] {
  const empty = scraper.output!['~standard'].validate({}) as { value: Record<string, unknown> }
  assert.ok(
    Object.values(empty.value).every(value => value === null),
    'an empty page is all null',
  )
  return Object.keys(empty.value).sort()
}

for (const [id, expected] of Object.entries(keys))
  test(`${id} has exactly the documented keys`, () => {
    assert.deepEqual(keysOf(registry.get(id)), expected.toSorted())
  })

test('every built-in scraper has a name, a version and a description', () => {
  for (const { name, version, description } of builtinScrapers)
    assert.ok(name && version && description.endsWith('.'), name)
})
