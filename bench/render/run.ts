// Runs one contender in its own process and measures it, with all its children, from outside.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ProcessTree } from '../measuring/process-tree.ts'
import type { Contender } from './contenders.ts'
import { type AppSite, type Fields, fieldPatterns, fieldsOf } from './site.ts'

export interface Measure {
  /** Pages per second of the whole process, including the start of the browser. */
  pagesPerSecond: number
  cpuSecondsPerPage: number
  peakMemoryMb: number
  /** Why the run is invalid; null if it is valid. */
  problem: string | null
}

export interface RunParts {
  site: AppSite
  pages: number
  executablePath: string
  workDirectory: string
  limitSeconds: number
}

export async function run(contender: Contender, parts: RunParts): Promise<Measure> {
  const out = join(parts.workDirectory, 'render.jsonl')
  mkdirSync(parts.workDirectory, { recursive: true })
  rmSync(out, { force: true })
  const startedAt = Date.now()
  const { exitCode, tree } = await ended(contender, out, parts)
  if (exitCode !== 0)
    return { pagesPerSecond: 0, cpuSecondsPerPage: 0, peakMemoryMb: 0, problem: `exit code ${exitCode}` }
  return {
    pagesPerSecond: parts.pages / ((statSync(out).mtimeMs - startedAt) / 1_000),
    cpuSecondsPerPage: tree.cpuSeconds / parts.pages,
    peakMemoryMb: tree.peakMemoryMb,
    problem: problemOf(out, parts.pages),
  }
}

async function ended(contender: Contender, out: string, parts: RunParts) {
  const { script, more } = contender
  const peer = join(import.meta.dirname, '..', 'peers', script)
  const given = [parts.site.origin, out, String(parts.pages), parts.executablePath, ...more]
  const child = spawn(process.execPath, [peer, ...given], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, FIELD_PATTERNS: JSON.stringify(fieldPatterns) },
  })
  using tree = new ProcessTree(child.pid!)
  const limit = setTimeout(() => child.kill('SIGTERM'), parts.limitSeconds * 1_000)
  const [exitCode] = (await once(child, 'exit')) as [number | null]
  clearTimeout(limit)
  return { exitCode, tree }
}

function problemOf(file: string, pages: number): string | null {
  const lines = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Fields & { url: string })
  const byNumber = new Map(lines.map(line => [Number(line.url.split('/').pop()), line]))
  if (byNumber.size < pages) return `${pages - byNumber.size} pages missing`
  const wrong = [...byNumber].filter(([n, { title, price, sku }]) => {
    const wanted = fieldsOf(n)
    return title !== wanted.title || price !== wanted.price || sku !== wanted.sku
  })
  return wrong.length === 0 ? null : `${wrong.length} records wrong`
}
