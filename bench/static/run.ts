// Runs one contender as a process and measures it from outside, the same way for all.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { problemOf } from './check.ts'
import type { Contender } from './contenders.ts'
import type { Nginx, Site } from './nginx.ts'

export interface Measure {
  pages: number
  /** From the first request at the server to the last write of the output. */
  pagesPerSecond: number
  /** Seconds from the start of the process to its first request. */
  startSeconds: number
  /** Seconds of the whole process, including its start and end. */
  wallSeconds: number
  cpuSecondsPer1000: number
  peakMemoryMb: number
  /** Why the run is invalid; null if it is valid. */
  problem: string | null
}

interface Cost {
  exit_code: number
  cpu_seconds: number
  peak_memory_kb: number
}

export interface RunParts {
  nginx: Nginx
  site: Site
  workDirectory: string
  limitSeconds: number
  /** Counts the pages of the output, for a site whose pages are not known. Otherwise every page is checked. */
  countPages?: (file: string) => number
}

export async function run(contender: Contender, parts: RunParts): Promise<Measure> {
  const { nginx, site, workDirectory, limitSeconds, countPages } = parts
  const place = emptyPlace(workDirectory, site)
  const costFile = join(place.data, '..', 'cost.json')
  const startedAt = Date.now()
  const command = [
    '/usr/bin/python3',
    join(import.meta.dirname, 'measured.py'),
    costFile,
    ...contender.command(place),
  ]
  const inTime = await ended(command, limitSeconds)
  const endedAt = Date.now()
  if (!inTime) return failedRun(`did not end in ${limitSeconds} s`)
  if (!existsSync(costFile)) return failedRun('could not be started')
  const cost: Cost = JSON.parse(readFileSync(costFile, 'utf8'))
  const firstRequestMs = nginx.firstRequestMs(site.port, startedAt)
  if (firstRequestMs === null || !existsSync(place.out))
    return failedRun(`exit code ${cost.exit_code}, no output`)
  const pages = countPages?.(place.out) ?? site.pages
  const problem = countPages === undefined ? problemOf(place.out, pages) : null
  return {
    pages,
    pagesPerSecond: pages / ((statSync(place.out).mtimeMs - firstRequestMs) / 1_000),
    startSeconds: (firstRequestMs - startedAt) / 1_000,
    wallSeconds: (endedAt - startedAt) / 1_000,
    cpuSecondsPer1000: cost.cpu_seconds / (pages / 1_000),
    peakMemoryMb: cost.peak_memory_kb / 1_024,
    problem: cost.exit_code === 0 ? problem : `exit code ${cost.exit_code}`,
  }
}

/** The upper bound of this server: wrk requests the same page repeatedly, and nothing parses it. */
export function runWrk(site: Site): number {
  const url = `http://127.0.0.1:${site.port}/p/7.html`
  const report = execFileSync('wrk', ['-t1', '-c32', '-d3s', url], { encoding: 'utf8' })
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(report)![1])
}

function emptyPlace(workDirectory: string, site: Site): { origin: string; out: string; data: string } {
  const place = join(workDirectory, 'run')
  rmSync(place, { recursive: true, force: true })
  mkdirSync(join(place, 'data'), { recursive: true })
  return { origin: `http://127.0.0.1:${site.port}`, out: join(place, 'out.jsonl'), data: join(place, 'data') }
}

/** True if the command ended by itself. Otherwise it is killed with all its children. */
async function ended(command: string[], limitSeconds: number): Promise<boolean> {
  const child = spawn(command[0]!, command.slice(1), {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  })
  let inTime = true
  const limit = setTimeout(() => {
    inTime = false
    killGroup(child)
  }, limitSeconds * 1_000)
  const interrupted = () => killGroup(child)
  process.once('exit', interrupted)
  await once(child, 'exit')
  clearTimeout(limit)
  process.off('exit', interrupted)
  return inTime
}

function killGroup(child: ChildProcess): void {
  process.kill(-child.pid!, 'SIGKILL')
}

function failedRun(problem: string): Measure {
  const none = Number.NaN
  return {
    pages: none,
    pagesPerSecond: none,
    startSeconds: none,
    wallSeconds: none,
    cpuSecondsPer1000: none,
    peakMemoryMb: none,
    problem,
  }
}
