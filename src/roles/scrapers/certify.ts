// Certification: the checks that a scraper must pass.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Scraper } from '../../scraper/define-scraper.ts'
import type { Catalogue, Entry } from './catalogue.ts'
import { type Certificate, type Check, keepCertificate } from './certificates.ts'
import { checkPolicy } from './check-policy.ts'
import { checkNulls, checkSchema } from './check-schema.ts'
import { findSecrets } from './find-secrets.ts'
import type { GoldenCase } from './golden-cases.ts'
import { openRuns } from './run-over.ts'
import { builtinFiles, contentHash, sourceFilesOf } from './source-files.ts'
import { testCase } from './test-scrapers.ts'

/** Runs all checks and stores the result. */
export async function certify(catalogue: Catalogue, id: string): Promise<Certificate> {
  const entry = catalogue.get(id)
  const { scraper } = entry
  const golden = catalogue.goldenCases(entry)
  const checks = [
    checkSchema(scraper, golden),
    await checkGolden(entry, golden),
    await checkNulls(scraper, golden),
    checkPolicy(scraper),
    checkSecrets(entry),
    await checkSpeed(entry, golden),
  ]
  const certificate: Certificate = {
    version: scraper.version,
    hash: contentHash(catalogue.folder, entry),
    certified_at: new Date().toISOString(),
    passed: checks.every(check => check.passed),
    checks,
  }
  keepCertificate(catalogue.folder, id, certificate)
  return certificate
}

async function checkGolden(entry: Entry, golden: GoldenCase[]): Promise<Check> {
  const name = 'golden pages'
  if (golden.length === 0)
    return { name, passed: false, note: `none; add one in scrapers/golden/${entry.scraper.id}/<case>/` }
  const wrong: string[] = []
  for (const one of golden) {
    const { verdict } = await testCase(entry, one)
    if (verdict !== 'same') wrong.push(one.name)
  }
  if (wrong.length === 0) return { name, passed: true, note: `${golden.length} give the expected records` }
  return {
    name,
    passed: false,
    note: `${wrong.join(', ')}: see \`kscrape scrapers test ${entry.scraper.id}\``,
  }
}

/** Searches the scraper's file and the files that it imports. For a built-in scraper, searches all built-in scrapers. */
function checkSecrets({ file }: Entry): Check {
  const files = file === null ? builtinFiles() : sourceFilesOf(file)
  const found = files.flatMap(path =>
    findSecrets(readFileSync(path, 'utf8')).map(
      ({ line, what }) => `${relative(process.cwd(), path)}:${line} holds ${what}`,
    ),
  )
  const note =
    found.length === 0
      ? 'none in the source'
      : `${found.join('; ')}; remove it from the source and pass it in the input`
  return { name: 'secrets', passed: found.length === 0, note }
}

/** Maximum time per page in milliseconds. A slower scraper does more than parse, and it blocks its lane. */
const slowestMs = 1_000
const measureMs = 300

/** Measures the median of repeated runs, after a first run. */
async function checkSpeed({ scraper }: Entry, golden: GoldenCase[]): Promise<Check> {
  const name = 'speed'
  const times: number[] = []
  for (const one of golden) times.push(...(await timesOf(scraper, one, measureMs / golden.length)))
  if (times.length === 0) return { name, passed: false, note: 'no golden page to measure' }
  const median = times.sort((a, b) => a - b)[times.length >> 1]!
  const note = `${median.toFixed(2)} ms for a golden page (median of ${times.length} runs)`
  const passed = median <= slowestMs
  return { name, passed, note: passed ? note : `${note}; at most ${slowestMs} ms` }
}

/** The times of repeated runs. The first run is not counted, because it loads and compiles code, which a job does only
 *  once. */
async function timesOf(scraper: Scraper, golden: GoldenCase, forMs: number): Promise<number[]> {
  await using runs = openRuns(scraper, golden.start)
  await runs.run(golden.open())
  const times: number[] = []
  const until = performance.now() + forMs
  do {
    const startedAt = performance.now()
    await runs.run(golden.open())
    times.push(performance.now() - startedAt)
  } while (performance.now() < until)
  return times
}
