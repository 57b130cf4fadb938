// Runs one test file in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ChildrenCpu } from './children-cpu.ts'
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
  cpu: ChildrenCpu
  /** Called with the output as it arrives. */
  show?: (text: string) => void
  /** Kills the file. */
  signal: AbortSignal
}

/** Node's counts of one file; the runner prints those of all files. A colour may precede the mark. */
const countLine =
  /^(?:\u001b\[\d+m)*ℹ (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+.*\n/gm
/** A process that a test left behind may hold the output open. */
const restOfOutputMs = 2_000

export async function runFile(file: string, how: HowToRun): Promise<FileRun> {
  const folder = mkdtempSync(join(tmpdir(), 'kscrape-test-run-'))
  const events = join(folder, 'events.jsonl')
  const startedAt = performance.now()
  try {
    const ended = await runProcess(argumentsFor(file, events, how), how)
    const results = readResults(events)
    if (ended.problem !== null && !results.some(({ state }) => state === 'failed'))
      results.push({ name: 'the whole file', state: 'failed', about: ended.problem })
    const { output, cpuSeconds } = ended
    return { file, results, output, seconds: (performance.now() - startedAt) / 1_000, cpuSeconds }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function argumentsFor(file: string, events: string, { root, flags }: HowToRun): string[] {
  return [
    `--import=${join(root, 'ci/test/seed-properties.ts')}`,
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${join(root, 'ci/test/reporter.ts')}`, `--test-reporter-destination=${events}`],
    '--disable-warning=ExperimentalWarning',
    ...flags,
    file,
  ]
}

interface Ended {
  output: string
  /** Why the process counts as failed, whatever its tests reported. */
  problem: string | null
  cpuSeconds: number | null
}

async function runProcess(args: string[], how: HowToRun): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd: how.root,
    env: environment(how.seed),
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

/** Where the program keeps its own compiled code, too. It halves the CPU time of loading it. */
const compileCache = join(tmpdir(), 'node-compile-cache')

/** The developer's own settings must not change what is tested. */
function environment(seed: number): NodeJS.ProcessEnv {
  const isSetting = (name: string) => name.startsWith('SCRAPER_') || name === 'KILLPOINT'
  const kept = Object.entries(process.env).filter(([name]) => !isSetting(name))
  return { NODE_COMPILE_CACHE: compileCache, ...Object.fromEntries(kept), TEST_SEED: String(seed) }
}

/** A process that was killed may leave half a line. */
function readResults(events: string): TestResult[] {
  const lines = readFileSync(events, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean)
  return lines.flatMap(line => {
    try {
      return [JSON.parse(line) as TestResult]
    } catch {
      return []
    }
  })
}
