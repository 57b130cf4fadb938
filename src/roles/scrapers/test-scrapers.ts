// Runs scrapers over their golden pages and reports differences.
import { basename, join } from 'node:path'
import type { Json } from '../../model/record.ts'
import type { Catalogue, Entry } from './catalogue.ts'
import { expectationOf, foldersIn, type GoldenCase, writeExpectation } from './golden-cases.ts'
import { type Difference, differences } from './record-diff.ts'
import { type Outcome, runOver } from './run-over.ts'

export interface CaseResult {
  name: string
  /** `unknown`: no expected result is stored. */
  verdict: 'same' | 'differs' | 'failed' | 'unknown' | 'updated'
  differences: Difference[]
  /** A message, if the differences alone do not explain the verdict; otherwise empty. */
  note: string
  ms: number
}

interface TestOptions {
  /** Runs the cases of these scrapers only. Default: the cases of all scrapers of the user. */
  ids?: readonly string[]
  /** Also runs the golden pages of the built-in scrapers. */
  builtin?: boolean
  /** Stores the result instead of comparing it. */
  update?: boolean
}

/** Runs one case at a time, so that the measured times are meaningful. */
export async function* testScrapers(catalogue: Catalogue, options: TestOptions): AsyncGenerator<CaseResult> {
  const named = Boolean(options.ids?.length)
  const entries = named ? options.ids!.map(id => catalogue.get(id)) : catalogue.entries
  const withShipped = named || Boolean(options.builtin)
  for (const entry of entries)
    for (const golden of catalogue.goldenCases(entry))
      if (withShipped || !golden.isShipped) yield await testCase(entry, golden, Boolean(options.update))
  if (!options.ids?.length) yield* strays(catalogue)
}

export async function testCase(
  { scraper }: Pick<Entry, 'scraper'>,
  golden: GoldenCase,
  update = false,
): Promise<CaseResult> {
  const startedAt = performance.now()
  const outcome = await runOver(scraper, golden.start, golden.open())
  const ms = performance.now() - startedAt
  const result = { name: golden.name, ms, ...judge(golden, outcome) }
  if (!update || golden.isShipped || result.verdict === 'same' || result.verdict === 'failed') return result
  writeExpectation(golden.folder, outcome)
  return { ...result, verdict: 'updated', note: '' }
}

type Verdict = Pick<CaseResult, 'verdict' | 'differences' | 'note'>

function judge({ folder }: GoldenCase, { records, failure }: Outcome): Verdict {
  const expected = expectationOf(folder)
  if (expected && 'failure' in expected)
    return failure ? compared(expected.failure, failure.code) : unfailed(expected.failure, records.length)
  if (failure) return { verdict: 'failed', differences: [], note: `${failure.message} (${failure.code})` }
  if (!expected)
    return { verdict: 'unknown', differences: [], note: 'no record.json yet; --update writes the result' }
  return compared(oneOrAll(expected.records, records), oneOrAll(records, expected.records))
}

/** A single record is compared directly, so that paths of differences have no index. */
const oneOrAll = (records: Json[], others: Json[]): Json =>
  records.length === 1 && others.length === 1 ? records[0]! : records

function compared(expected: Json, actual: Json): Verdict {
  const found = differences(expected, actual)
  return { verdict: found.length === 0 ? 'same' : 'differs', differences: found, note: '' }
}

const unfailed = (code: string, count: number): Verdict => ({
  verdict: 'differs',
  differences: [],
  note: `should fail with ${code}, but gave ${count} records`,
})

/** Golden folders whose scraper does not exist. They would test nothing, so they are reported. */
function* strays(catalogue: Catalogue): Generator<CaseResult> {
  const known = new Set(catalogue.entries.map(entry => entry.scraper.id))
  for (const folder of foldersIn(join(catalogue.folder, 'golden'))) {
    if (known.has(basename(folder))) continue
    const note = 'no scraper has this id; rename the folder or remove it'
    yield { name: basename(folder), verdict: 'failed', differences: [], note, ms: 0 }
  }
}
