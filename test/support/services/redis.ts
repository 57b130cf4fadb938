// A Redis for one test, on a free port in its own folder, deleted afterwards.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'

export interface TestRedis extends AsyncDisposable {
  url: string
  port: number
  /** Kills the server like `kill -9`. `start` restarts it on the same port with its stored data. */
  kill(): Promise<void>
  /** `more` are additional flags for this start. */
  start(more?: string[]): Promise<void>
}

export async function startRedis(flags: string[] = []): Promise<TestRedis> {
  const directory = mkdtempSync(join(tmpdir(), 'kscrape-redis-'))
  const port = await freePort()
  let server: ChildProcess | null = null
  const start = async (more: string[] = []) => {
    const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory]
    const own = [...place, '--save', '', ...flags, ...more]
    server = spawn('redis-server', own, { stdio: ['ignore', 'pipe', 'inherit'] })
    await untilItSays(server, 'Ready to accept connections')
  }
  const kill = async () => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGKILL')
    await once(server, 'exit')
  }
  // A test run that is killed must not leave a server behind.
  process.once('exit', () => server?.kill('SIGKILL'))
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    start,
    kill,
    async [Symbol.asyncDispose]() {
      await kill()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function untilItSays(server: ChildProcess, word: string): Promise<void> {
  let said = ''
  for await (const chunk of server.stdout!.iterator({ destroyOnReturn: false })) {
    said += String(chunk)
    if (said.includes(word)) break
  }
  if (!said.includes(word)) throw new Error(`redis-server ended before it was ready:\n${said}`)
  server.stdout!.resume()
}
