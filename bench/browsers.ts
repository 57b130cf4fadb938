// How many browser connections a second, and how much memory each, compared with Playwright's run-server? --connections 20 --at-once 2
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { Browser, chromium as Chromium } from 'playwright-core'
import { findBrowser } from '../src/fetch/browser/pool/find-browser.ts'
import { allPids } from '../src/fetch/browser/pool/processes.ts'
import { loadNow, machine, today } from './measuring/machine.ts'
import { markdownTable, median, written } from './measuring/statistics.ts'

const { values: flags } = parseArgs({
  options: { connections: { type: 'string', default: '20' }, 'at-once': { type: 'string', default: '2' } },
})
const connections = Number(flags.connections)
const atOnce = Number(flags['at-once'])
const key = 'a-key-of-16-or-more'
const root = join(import.meta.dirname, '..')
const { chromium } = createRequire(import.meta.url)('playwright-core') as { chromium: typeof Chromium }

interface Contender {
  name: string
  connect: () => Promise<Browser>
  server: ChildProcess
}

const site = createServer((_request, response) =>
  response.setHeader('content-type', 'text/html').end('<title>Home</title><h1>Home</h1>'),
).listen(0, '127.0.0.1')
await once(site, 'listening')
const place = `127.0.0.1:${(site.address() as AddressInfo).port}`

const found = await findBrowser({ wants: 'shell' })
if (found === null) throw new Error('No browser: apt-get install -y chromium-headless-shell')
const folder = await mkdtemp(join(tmpdir(), 'kscrape-bench-'))
const rows: string[][] = []
for (const start of [ours('/cdp'), ours('/playwright'), theirs]) {
  const contender = await start()
  try {
    rows.push(await measure(contender))
  } finally {
    contender.server.kill(contender.name.startsWith('kscrape') ? 'SIGTERM' : 'SIGKILL')
    await once(contender.server, 'exit')
  }
}
site.close()
await rm(folder, { recursive: true, force: true })
console.log(
  `${today()}, ${machine()}, ${found.executablePath}, load ${loadNow()} at the end; ${connections} connections, ${atOnce} at a time. Each opens a page, reads its title and closes.\n`,
)
console.log(markdownTable(['server', 'connections/s', 'median ms', 'memory of one session'], rows))

async function measure({ name, connect, server }: Contender): Promise<string[]> {
  // The first connection includes one-time costs, so it is not measured.
  await visit(connect)
  await withoutBrowsers()
  const idle = memoryBelow(server.pid!)
  const browser = await connect()
  const page = await (browser.contexts()[0] ?? (await browser.newContext())).newPage()
  await page.goto(`http://${place}/`)
  const one = memoryBelow(server.pid!) - idle
  await browser.close()
  const times: number[] = []
  const startedAt = performance.now()
  let left = connections
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) times.push(await visit(connect))
    }),
  )
  const seconds = (performance.now() - startedAt) / 1_000
  console.error(`${name}: ${written(times.length / seconds, 2)} connections/s`)
  return [
    name,
    written(times.length / seconds, 2),
    written(median(times), 0),
    `${written(one / 1_048_576, 0)} MB`,
  ]
}

async function visit(connect: () => Promise<Browser>): Promise<number> {
  const startedAt = performance.now()
  const browser = await connect()
  const context = browser.contexts()[0] ?? (await browser.newContext())
  const page = await context.newPage()
  await page.goto(`http://${place}/`)
  if ((await page.title()) !== 'Home') throw new Error('the browser shows another page than the start page')
  await browser.close()
  return performance.now() - startedAt
}

function ours(path: '/cdp' | '/playwright'): () => Promise<Contender> {
  return async () => {
    const args = ['src/cli/kscrape.ts', 'serve', '--port', '0', '--allow-private', place]
    const env = {
      ...process.env,
      ...{ SCRAPER_API_KEY: key, SCRAPER_DATA_DIR: join(folder, path.slice(1)), SCRAPER_RATE: 'unlimited' },
      ...{ SCRAPER_BROWSER_POOL_SIZE: String(atOnce + 1) },
    }
    const server = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const port = await said(server, /http:\/\/127\.0\.0\.1:(\d+)/)
    const endpoint = `ws://127.0.0.1:${port}${path}?token=${key}`
    const connect = () => (path === '/cdp' ? chromium.connectOverCDP(endpoint) : chromium.connect(endpoint))
    return { name: `kscrape ${path}`, connect, server }
  }
}

async function theirs(): Promise<Contender> {
  const cli = join(root, 'node_modules/playwright-core/cli.js')
  const server = spawn(
    process.execPath,
    [cli, 'run-server', '--unsafe', '--host', '127.0.0.1', '--port', '0'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const port = await said(server, /ws:\/\/127\.0\.0\.1:(\d+)/)
  const options = JSON.stringify({
    executablePath: found!.executablePath,
    args: ['--no-sandbox'],
    headless: true,
  })
  const headers = { 'x-playwright-browser': 'chromium', 'x-playwright-launch-options': options }
  return {
    name: 'Playwright run-server',
    connect: () => chromium.connect(`ws://127.0.0.1:${port}/`, { headers }),
    server,
  }
}

/** Waits for a line that matches, and returns its first group. */
function said({ stdout, stderr }: ChildProcess, pattern: RegExp): Promise<string> {
  let text = ''
  return new Promise(resolve => {
    for (const stream of [stdout!, stderr!])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        const port = pattern.exec(text)?.[1]
        if (port) resolve(port)
      })
  })
}

/** Waits until the previous browser has ended. */
async function withoutBrowsers(): Promise<void> {
  while (allPids().some(pid => read(`/proc/${pid}/cmdline`).includes('--type=renderer')))
    await setTimeout(100)
}

/** The proportional memory (PSS) of a process and all its descendants. */
function memoryBelow(pid: number): number {
  const children = new Map<number, number[]>()
  for (const one of allPids()) {
    const parent = Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${one}/status`))?.[1])
    children.set(parent, [...(children.get(parent) ?? []), one])
  }
  const sum = (one: number): number =>
    Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${one}/smaps_rollup`))?.[1] ?? 0) * 1_024 +
    (children.get(one) ?? []).reduce((total, child) => total + sum(child), 0)
  return sum(pid)
}

function read(path: string): string {
  try {
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  } catch {
    return ''
  }
}
