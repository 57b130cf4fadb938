// The text at the end of a run, and the files in test-report/.
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestResult } from './reporter.ts'
import { hasFailed, type Outcome } from './run-all.ts'
import type { FileRun } from './run-file.ts'

const shownFiles = 12

export interface About {
  seed: number
  /** One sentence about tests that this run did not include, or empty. */
  notRun: string
  seconds: number
}

export function summaryOf({ runs, flaky }: Outcome, { seed, notRun, seconds }: About): string {
  const flakes = flaky.map(run => flakyLine(flakyEntry(run, seed)))
  const sections = [
    slowest(runs),
    section('Skipped', each(runs, 'skipped', skippedLine)),
    notRun === '' ? '' : `${notRun}\n`,
    section('Flaky: failed, then passed alone. Each one is a defect', flakes),
    section(
      'Failed',
      each(runs, 'failed', (run, result) => failedLines(run, result, seed)),
    ),
    `${timesOf(runs, seconds)}; seed ${seed}; ${runs.length} files, ${flaky.length} flaky\n${counts(runs)}\n`,
  ]
  return sections.filter(Boolean).join('\n')
}

const section = (title: string, lines: string[]): string =>
  lines.length === 0 ? '' : `${title} (${lines.length}):\n${lines.join('\n')}\n`

function each(
  runs: readonly FileRun[],
  state: TestResult['state'],
  lineOf: (run: FileRun, result: TestResult) => string,
): string[] {
  return runs.flatMap(run =>
    run.results.filter(result => result.state === state).map(result => lineOf(run, result)),
  )
}

const skippedLine = ({ file }: FileRun, { name, about }: TestResult): string =>
  `  ${file}: ${name}: ${about || 'no reason given'}`

const failedLines = ({ file }: FileRun, { name, about }: TestResult, seed: number): string =>
  `  ${file}: ${name}\n    ${firstLine(about)}\n    ${rerunCommand(file, name, seed)}`

const firstLine = (text: string): string => text.trim().split('\n')[0]!

/** Node matches the pattern against the titles of the suites around a test and the test's own title, joined by spaces. */
export function rerunCommand(file: string, name: string, seed: number): string {
  const command = `npm test -- ${file} --seed=${seed}`
  if (name === 'the whole file') return command
  const pattern = name.replaceAll(' > ', ' ').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return `${command} --test-name-pattern='^${pattern.replaceAll("'", "'\\''")}$'`
}

/** An entry of `test-report/flaky.jsonl`. */
export interface Flaky {
  file: string
  test: string
  seed: number
  error: string
}

export function flakyEntry({ file, results }: FileRun, seed: number): Flaky {
  const { name, about } = results.find(({ state }) => state === 'failed')!
  return { file, test: name, seed, error: firstLine(about) }
}

export const flakyLine = ({ file, test, seed, error }: Flaky): string =>
  `flaky: ${file}, ${test}, ${seed}, ${error}`

function slowest(runs: readonly FileRun[]): string {
  if (runs.length < 2) return ''
  const longest = runs.toSorted((a, b) => b.seconds - a.seconds).slice(0, shownFiles)
  const lines = longest.map(({ file, seconds, cpuSeconds }) => {
    const cpu = cpuSeconds === null ? '' : ` (CPU ${cpuSeconds.toFixed(0)} s)`
    return `${seconds.toFixed(0).padStart(5)} s${cpu}  ${file}`
  })
  return `Slowest files:\n${lines.join('\n')}\n`
}

function timesOf(runs: readonly FileRun[], seconds: number): string {
  const cpu = runs.reduce((sum, { cpuSeconds }) => sum + (cpuSeconds ?? 0), 0)
  return `${minutes(seconds)} (CPU ${minutes(cpu)})`
}

const minutes = (seconds: number): string =>
  seconds < 100 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(1)} min`

function counts(runs: readonly FileRun[]): string {
  const count = (state: TestResult['state']) =>
    runs.reduce((sum, { results }) => sum + results.filter(result => result.state === state).length, 0)
  const skipped = count('skipped')
  return `${count('passed')} passed, ${count('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** `files.json` describes the last run; `flaky.jsonl` grows with every run. */
export function writeReport(folder: string, { runs, flaky }: Outcome, seed: number, now: Date): void {
  mkdirSync(folder, { recursive: true })
  const files = runs.map(run => ({
    file: run.file,
    tests: run.results.length,
    failed: hasFailed(run),
    seconds: rounded(run.seconds),
    cpu_seconds: run.cpuSeconds === null ? null : rounded(run.cpuSeconds),
  }))
  writeFileSync(join(folder, 'files.json'), `${JSON.stringify({ seed, files }, null, 1)}\n`)
  for (const run of flaky) {
    const entry = { at: now.toISOString(), ...flakyEntry(run, seed) }
    appendFileSync(join(folder, 'flaky.jsonl'), `${JSON.stringify(entry)}\n`)
  }
}

const rounded = (seconds: number): number => Math.round(seconds * 100) / 100
