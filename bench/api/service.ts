// A service as a user starts it, with a temporary data directory, and a server of pages that it may fetch.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '../../src/client.ts'
import { PageServer } from '../measuring/page-server.ts'
import { kscrape } from '../measuring/program.ts'

export const apiKey = 'the-key-of-this-bench'

export interface BenchService extends AsyncDisposable {
  client: Client
  pid: number
  /** Two servers, so that there are two hosts. */
  pages: [PageServer, PageServer]
}

/** `environment` has settings besides the key. */
export async function openService(environment: Record<string, string> = {}): Promise<BenchService> {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'kscrape-bench-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const pages: [PageServer, PageServer] = [
    opened.use(await PageServer.start({ answerAfterMs: 0 })),
    opened.use(await PageServer.start({ answerAfterMs: 0 })),
  ]
  const places = pages.flatMap(({ host }) => ['--allow-private', host])
  const [program = '', ...args] = kscrape(
    'serve',
    '--port',
    '0',
    '--json',
    '--quiet',
    '--data-dir',
    folder,
    ...places,
  )
  const child = spawn(program, args, {
    env: { ...process.env, ...environment, SCRAPER_API_KEY: apiKey },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  opened.defer(() => ended(child))
  const [said] = (await once(child.stderr!.setEncoding('utf8'), 'data')) as [string]
  const { url } = JSON.parse(said) as { url: string }
  const all = opened.move()
  return {
    client: new Client({ server: url, apiKey }),
    pid: child.pid!,
    pages,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
