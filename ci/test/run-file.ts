// Runs one test file, or a group of them, in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ChildrenCpu } from './children-cpu.ts'
import type { FileTimes } from './group.ts'
import type { TestResult } from './reporter.ts'

export interface FileRun {
  file: string
  results: TestResult[]
  /** Node's report and everything that the file printed. */
  output: string
  seconds: number
  cpuSeconds: number | null
}

export interface HowToRun {
  root: string
  seed: number
  limitMs: number
  /** For node. */
  flags: readonly string[]
  /** Added to the environment of the file. */
  env?: Readonly<Record<string, string>>
  cpu: ChildrenCpu
  /** Called with the output as it arrives. */
  show?: (text: string) => void
  /** If this signal is aborted, the file is killed. */
  signal: AbortSignal
}

/** Lines in which Node reports the counts of one process. The runner prints the counts of all files instead. A color code may
 *  precede `ℹ`. */
const countLine =
  /^(?:\u001b\[\d+m)*ℹ (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+.*\n/gm
/** A process that a test left behind may hold the output open. */
const restOfOutputMs = 2_000

export async function runFile(file: string, how: HowToRun): Promise<FileRun> {
  const startedAt = performance.now()
  const { output, cpuSeconds, problem, results } = await runFor([file], how)
  withProblem(results, problem)
  return { file, results, output, seconds: (performance.now() - startedAt) / 1_000, cpuSeconds }
}

/** Runs the files one after the other in one process. */
export async function runGroup(files: readonly string[], how: HowToRun): Promise<FileRun[]> {
  const { output, problem, results, times, cpuSeconds: ofAll } = await runFor(files, how)
  const runs = files.map(file => {
    const { seconds, cpuSeconds } = times.find(one => one.file === file) ?? { seconds: 0, cpuSeconds: 0 }
    const own = results.filter(result => result.file === file).map(({ file: _, ...result }) => result)
    return { file, results: own, output: '', seconds, cpuSeconds }
  })
  // Child processes that several files shared end after the last file. The first file gets their CPU time.
  const counted = runs.reduce((sum, { cpuSeconds }) => sum + (cpuSeconds ?? 0), 0)
  if (ofAll !== null) runs[0]!.cpuSeconds = (runs[0]!.cpuSeconds ?? 0) + Math.max(0, ofAll - counted)
  // A process that dies loses results. If no file explains the failure, all files of the group fail and run again alone.
  const isExplained = times.length === files.length && runs.some(run => hasFailure(run.results))
  if (!isExplained) for (const { results } of runs) withProblem(results, problem)
  const failed = runs.find(run => hasFailure(run.results))
  if (failed) failed.output = output
  return runs
}

const hasFailure = (results: readonly TestResult[]) => results.some(({ state }) => state === 'failed')

function withProblem(results: TestResult[], problem: string | null): void {
  if (problem === null || hasFailure(results)) return
  results.push({ name: 'the whole file', state: 'failed', about: problem })
}

interface Reported extends Ended {
  results: TestResult[]
  times: FileTimes[]
}

async function runFor(files: readonly string[], how: HowToRun): Promise<Reported> {
  const folder = mkdtempSync(join(tmpdir(), 'kscrape-test-run-'))
  const [events, times] = [join(folder, 'events.jsonl'), join(folder, 'times.jsonl')]
  const main = files.length === 1 ? files : [join(how.root, 'ci/test/group.ts'), times, ...files]
  try {
    const ended = await runProcess(argumentsFor(main, events, how), how)
    return { ...ended, results: readLines<TestResult>(events), times: readLines<FileTimes>(times) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function argumentsFor(main: readonly string[], events: string, { root, flags }: HowToRun): string[] {
  return [
    `--import=${join(root, 'ci/test/seed-properties.ts')}`,
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${join(root, 'ci/test/reporter.ts')}`, `--test-reporter-destination=${events}`],
    '--disable-warning=ExperimentalWarning',
    ...flags,
    ...main,
  ]
}

interface Ended {
  output: string
  /** The reason why the process counts as failed, whatever its tests reported. */
  problem: string | null
  cpuSeconds: number | null
}

async function runProcess(args: string[], how: HowToRun): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd: how.root,
    env: environment(how),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const written = collect(child, how.show)
  const kill = () => child.kill('SIGKILL')
  how.signal.addEventListener('abort', kill)
  let isLate = false
  const limit = setTimeout(() => {
    isLate = true
    kill()
  }, how.limitMs)
  const closed = once(child, 'close')
  await once(child, 'exit')
  const cpuSeconds = how.cpu.take()
  clearTimeout(limit)
  how.signal.removeEventListener('abort', kill)
  await Promise.race([closed, delay(restOfOutputMs, undefined, { ref: false })])
  const problem = isLate ? `ran longer than ${how.limitMs / 1_000} s and was killed` : problemOf(child)
  return { output: written(), problem, cpuSeconds }
}

function problemOf({ exitCode, signalCode }: ChildProcess): string | null {
  if (exitCode === 0) return null
  return signalCode === null ? `exit code ${exitCode}` : `killed by ${signalCode}`
}

function collect(child: ChildProcess, show: HowToRun['show']): () => string {
  let output = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      show?.(text.replace(countLine, ''))
    })
  return () => output.replace(countLine, '')
}

/** The folder in which the program also caches its compiled code, which halves the CPU time of loading it. */
const compileCache = join(tmpdir(), 'node-compile-cache')

/** The developer's own settings must not change what is tested. */
function environment({ seed, env }: HowToRun): NodeJS.ProcessEnv {
  const isSetting = (name: string) => name.startsWith('SCRAPER_') || name === 'KILLPOINT'
  const kept = Object.entries(process.env).filter(([name]) => !isSetting(name))
  return { NODE_COMPILE_CACHE: compileCache, ...Object.fromEntries(kept), ...env, TEST_SEED: String(seed) }
}

/** A process that was killed may leave half a line. */
function readLines<T>(file: string): T[] {
  const lines = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean)
  return lines.flatMap(line => {
    try {
      return [JSON.parse(line) as T]
    } catch {
      return []
    }
  })
}
