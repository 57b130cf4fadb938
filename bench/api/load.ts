// Sends requests as fast as they are answered, over a given number of connections: with wrk if it is installed, else with our
// own sockets.
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface Load {
  url: string
  connections: number
  seconds: number
  headers: Record<string, string>
  /** If set, the request is a POST. */
  body?: string
}

export interface Answered {
  perSecond: number
  p99Ms: number
  /** The number of responses without a 2xx status. */
  refused: number
}

const run = promisify(execFile)

export const generator = (): string => (hasWrk() ? 'wrk' : 'our own sockets')

let known: boolean | undefined
function hasWrk(): boolean {
  known ??= spawnSync('wrk', ['-v']).error === undefined
  return known
}

export const load = (asked: Load): Promise<Answered> => (hasWrk() ? withWrk(asked) : withSockets(asked))

async function withWrk({ url, connections, seconds, headers, body }: Load): Promise<Answered> {
  const post = body === undefined ? [] : ['-s', scriptFor(body)]
  const named = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const { stdout } = await run('wrk', [
    ...['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '--timeout', '20s'],
    ...[...named, ...post, url],
  ])
  const number = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? 0)
  const [, p99 = '0', unit = 'ms'] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? []
  return {
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p99Ms: Number(p99) * { us: 0.001, ms: 1, s: 1_000 }[unit as 'us' | 'ms' | 's'],
    refused: number(/Non-2xx or 3xx responses: (\d+)/),
  }
}

function scriptFor(body: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'kscrape-bench-')), 'post.lua')
  writeFileSync(path, `wrk.method = "POST"\nwrk.body = [[${body}]]\n`)
  return path
}

/** Runs in a separate process, so that it takes no CPU time from the measured one. */
async function withSockets(asked: Load): Promise<Answered> {
  const { stdout } = await run(process.execPath, [
    join(import.meta.dirname, 'sockets.ts'),
    JSON.stringify(asked),
  ])
  return JSON.parse(stdout) as Answered
}
