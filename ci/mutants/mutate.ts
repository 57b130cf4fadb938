// A mutation run: find the mutants, learn what the tests execute, then try mutants in random order until the time is over.
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { seededRandom } from '../../src/lib/seeded-random.ts'
import { type Coverage, readCoverage, runs } from './coverage.ts'
import { importGraph, isTest, relatedTests, testBeside } from './related-tests.ts'
import { runTest } from './run-test.ts'
import { type Mutation, type MutationKind, mutationsOf } from './sites.ts'

export interface MutationRun {
  root: string
  /** Files, folders, or `file.ts:12` for the mutants of one line. */
  paths: readonly string[]
  seed: string
  minutes: number
  sample: number
  jobs: number
  kinds: readonly MutationKind[]
  /** Further tests to run: parts of their paths. */
  tests: readonly string[]
  tell: (line: string) => void
}

export type Fate = 'killed' | 'timed-out' | 'survived' | 'not-reached'

export interface Mutant extends Mutation {
  file: string
}

export interface Tried {
  mutant: Mutant
  fate: Fate
  /** The test file that detected the mutant, or the files that did not. */
  tests: string[]
}

export interface MutationReport {
  found: number
  tried: Tried[]
  minutes: number
  /** Test files that fail without a mutant, and are therefore not used. */
  failing: string[]
}

interface KnownTest {
  test: string
  durationMs: number
  coverage: Coverage
}

export async function runMutants(run: MutationRun): Promise<MutationReport> {
  const startedAt = Date.now()
  const endsAt = startedAt + run.minutes * 60_000
  const files = chosenFiles(run)
  const mutants = shuffled(mutantsIn(run, files), seededRandom(run.seed))
  const related = testsFor(run, [...new Set(mutants.map(({ file }) => file))])
  const all = [...new Set([...related.values()].flat())].sort()
  run.tell(`${mutants.length} mutants in ${files.length} files, ${all.length} test files, seed ${run.seed}`)
  const known = new Map<string, KnownTest>()
  const failing: string[] = []
  await inParallel(all, run.jobs, async test => {
    const baseline = Date.now() < endsAt ? await learnTest(run, test, files) : null
    if (baseline) known.set(test, baseline)
    else failing.push(test)
  })
  for (const test of failing) run.tell(`left out, since it fails or takes too long without a mutant: ${test}`)
  const tried: Tried[] = []
  await inParallel(mutants.slice(0, run.sample), run.jobs, async mutant => {
    if (Date.now() >= endsAt) return
    const tests = (related.get(mutant.file) ?? []).flatMap(test => known.get(test) ?? [])
    tried.push(await tryMutant(run, mutant, tests))
  })
  return { found: mutants.length, tried, minutes: (Date.now() - startedAt) / 60_000, failing }
}

const isSource = (path: string): boolean =>
  path.endsWith('.ts') && !isTest(path) && !path.endsWith('.d.ts') && !path.includes('node_modules')

function chosenFiles({ root, paths }: MutationRun): string[] {
  const files = paths
    .map(path => path.replace(/:\d+$/, '').replace(/\/+$/, ''))
    .flatMap(path => (path.endsWith('.ts') ? [path] : globSync(`${path}/**/*.ts`, { cwd: root })))
    .filter(isSource)
  if (files.length === 0)
    throw new Error(`no source files in ${paths.join(', ')}; name a folder like src/dispatch`)
  return [...new Set(files)].sort()
}

function mutantsIn({ root, paths, kinds }: MutationRun, files: readonly string[]): Mutant[] {
  const lines = paths.flatMap(path => /^(.+):(\d+)$/.exec(path)?.slice(1, 3).join(':') ?? [])
  return files
    .flatMap(file => mutationsOf(file, readFileSync(join(root, file), 'utf8')).map(one => ({ ...one, file })))
    .filter(({ kind }) => kinds.includes(kind))
    .filter(({ file, line }) => lines.length === 0 || lines.includes(`${file}:${line}`))
}

/** The Fisher–Yates shuffle. */
export function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const mixed = [...items]
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    ;[mixed[at], mixed[other]] = [mixed[other]!, mixed[at]!]
  }
  return mixed
}

function testsFor({ root, tests }: MutationRun, files: readonly string[]): Map<string, string[]> {
  const all = globSync(['src/**/*.ts', 'test/**/*.ts'], { cwd: root, exclude: ['**/node_modules/**'] }).sort()
  const graph = importGraph(root, all)
  const further = all.filter(file => isTest(file) && tests.some(word => file.includes(word)))
  return new Map(files.map(file => [file, [...new Set([...relatedTests(graph, file), ...further])]]))
}

/** Tests that take longer are not used, because they would leave no time for the others. */
const longestTestMs = 60_000

async function learnTest(
  run: MutationRun,
  test: string,
  files: readonly string[],
): Promise<KnownTest | null> {
  const coverageFolder = mkdtempSync(join(tmpdir(), 'kscrape-mutants-'))
  try {
    const startedAt = Date.now()
    const verdict = await runTest({ root: run.root, test, limitMs: longestTestMs, coverageFolder })
    if (verdict !== 'passed') return null
    const durationMs = Date.now() - startedAt
    const urls = new Set(files.map(file => urlOf(run.root, file)))
    return { test, durationMs, coverage: readCoverage(coverageFolder, urls) }
  } finally {
    rmSync(coverageFolder, { recursive: true, force: true })
  }
}

const urlOf = (root: string, file: string): string => pathToFileURL(join(root, file)).href

/** The limit is generous, because a mutant may loop forever and the machine may be busy. */
const limitOf = ({ durationMs }: KnownTest): number => 10_000 + 5 * durationMs

/** Only tests that execute the changed code can detect a mutant. The test beside the file comes first, then the fastest. */
async function tryMutant(run: MutationRun, mutant: Mutant, tests: KnownTest[]): Promise<Tried> {
  const url = urlOf(run.root, mutant.file)
  const isBeside = ({ test }: KnownTest) => Number(test === testBeside(mutant.file))
  const reaching = tests
    .filter(({ coverage }) => runs(coverage, url, mutant.start))
    .toSorted((a, b) => isBeside(b) - isBeside(a) || a.durationMs - b.durationMs)
  if (reaching.length === 0) return { mutant, fate: 'not-reached', tests: [] }
  for (const known of reaching) {
    const verdict = await runTest({ root: run.root, test: known.test, limitMs: limitOf(known), mutant })
    if (verdict !== 'passed')
      return { mutant, fate: verdict === 'failed' ? 'killed' : 'timed-out', tests: [known.test] }
  }
  return { mutant, fate: 'survived', tests: reaching.map(({ test }) => test) }
}

async function inParallel<Item>(
  items: readonly Item[],
  jobs: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values()
  const worker = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: jobs }, worker))
}
