// A PostgreSQL cluster for one test, in its own folder, deleted afterwards.
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { patienceMs } from '../eventually.ts'
import { freePort } from '../free-port.ts'

export interface TestPostgres extends AsyncDisposable {
  port: number
  /** The URL of a separate schema on this cluster; a schema is created faster than a database. */
  freshUrl(): Promise<string>
  /** Kills the server like `kill -9`, or with SIGINT. `start` restarts it on the same port with its stored data. */
  kill(signal?: NodeJS.Signals): Promise<void>
  start(): Promise<void>
}

/** The folder of PostgreSQL's programs. Debian installs them outside PATH, by version. */
function binaries(): string {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  if (!versions[0]) throw new Error('PostgreSQL is not installed; `make test` installs it')
  return join(root, versions[0], 'bin')
}

/** The server runs as another user than root, because PostgreSQL refuses to run as root. */
function someoneElse(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** Autovacuum is off for tests that count running transactions, because it would start one about once a minute. */
export const undisturbed = ['autovacuum=off']

/** `settings` are PostgreSQL settings, as `name=value`. */
export async function startPostgres(settings: string[] = []): Promise<TestPostgres> {
  const bin = binaries()
  const user = someoneElse()
  const directory = mkdtempSync(join(tmpdir(), 'kscrape-postgres-'))
  if ('uid' in user) chownSync(directory, user.uid!, user.gid!)
  const data = join(directory, 'data')
  const run = { ...user, cwd: directory, stdio: 'ignore' } as const
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'kscrape', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    run,
  )
  const port = await freePort()
  const url = (database: string) => `postgres://kscrape@127.0.0.1:${port}/${database}`
  let server: ReturnType<typeof spawn> | null = null
  let schemas = 0

  const start = async () => {
    // Fsync is off. Tests kill processes but never the machine, so written data survives without it.
    const all = ['listen_addresses=127.0.0.1', 'fsync=off', ...settings].flatMap(setting => ['-c', setting])
    const flags = ['-D', data, '-p', String(port), '-k', directory, ...all]
    const begin = () => spawn(join(bin, 'postgres'), flags, run)
    server = begin()
    // Right after a kill, the shared memory of the earlier process may still be in use. Then the new server exits at once, and is
    // started again.
    await untilItAnswers(url('postgres'), () => {
      if (server!.exitCode !== null || server!.signalCode !== null) server = begin()
    })
  }
  const stop = async (signal: NodeJS.Signals) => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const gone = new Promise(resolve => server!.once('exit', resolve))
    server.kill(signal)
    await gone
  }
  // A test run that is killed must not leave a server behind.
  process.once('exit', () => server?.kill('SIGQUIT'))
  await start()
  return {
    port,
    start,
    kill: (signal = 'SIGKILL') => stop(signal),
    async freshUrl() {
      const name = `test_${++schemas}`
      await ask(url('postgres'), `CREATE SCHEMA ${name}`, patienceMs)
      return `${url('postgres')}?options=-csearch_path%3D${name}`
    },
    async [Symbol.asyncDispose]() {
      await stop('SIGQUIT')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function ask(url: string, text: string, connectMs = 1_000): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs })
  try {
    await client.connect()
    await client.query(text)
  } finally {
    await client.end()
  }
}

/** After a crash, PostgreSQL first recovers, and refuses connections until it has finished. */
async function untilItAnswers(url: string, look: () => void): Promise<void> {
  const until = Date.now() + patienceMs
  for (;;)
    try {
      return await ask(url, 'SELECT 1')
    } catch (error) {
      if (Date.now() > until) throw error
      look()
      await new Promise(resolve => setTimeout(resolve, 50))
    }
}
