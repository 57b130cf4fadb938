// The roles of a cluster as processes of a benchmark: started one by one, measured from outside, stopped as an operator would.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kscrape } from '../measuring/program.ts'

const key = 'the-key-of-this-benchmark'

interface RoleProcess {
  name: string
  child: ChildProcess
}

export interface RolesOptions {
  env: Record<string, string>
  /** The `host:port` on loopback that may be fetched. */
  site: string
  workers: number
  processors: number
  ingests?: number
  concurrency?: number
  /** The folder for profiles. Without it no profiles are made. */
  profiles?: string | undefined
}

export class Roles implements AsyncDisposable {
  readonly #options: RolesOptions
  readonly #folder = mkdtempSync(join(tmpdir(), 'kscrape-bench-'))
  readonly #running: RoleProcess[] = []
  readonly #end = () => {
    for (const { child } of this.#running) child.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true })
  }
  api = ''

  static async start(options: RolesOptions): Promise<Roles> {
    const roles = new Roles(options)
    const { workers, processors, ingests = 0, concurrency = 64 } = options
    await once(roles.#run('migrate', ['migrate']), 'exit')
    await roles.#ready('coordinator', [])
    for (let n = 1; n <= workers; n++)
      await roles.#ready('http-worker', ['--concurrency', String(concurrency)])
    for (let n = 1; n <= processors; n++) await roles.#ready('processor', [])
    for (let n = 1; n <= ingests; n++) await roles.#ready('ingest', [])
    roles.api = /"url":"([^"]+)"/.exec(await roles.#ready('api', ['--port', '0']))![1]!
    return roles
  }

  private constructor(options: RolesOptions) {
    this.#options = options
    process.once('exit', this.#end)
  }

  async #ready(role: string, flags: string[]): Promise<string> {
    const child = this.#run(role, ['start', role, ...flags, '--json'])
    let said = ''
    for await (const chunk of child.stderr!.iterator({ destroyOnReturn: false })) {
      said += String(chunk)
      if (said.includes('"ready":true')) break
    }
    if (!said.includes('"ready":true')) throw new Error(`${role} did not start:\n${said}`)
    child.stderr!.pipe(process.stderr)
    this.#running.push({ name: role, child })
    return said
  }

  #run(name: string, args: string[]): ChildProcess {
    const { env, site, profiles } = this.#options
    const command = kscrape(...args)
    if (profiles !== undefined)
      command.splice(command.indexOf(process.execPath) + 1, 0, ...profiling(profiles, name))
    return spawn(command[0]!, command.slice(1), {
      cwd: this.#folder,
      env: {
        PATH: process.env.PATH,
        ...env,
        SCRAPER_DATA_DIR: this.#folder,
        SCRAPER_API_KEY: key,
        SCRAPER_ALLOW_PRIVATE: site,
        SCRAPER_LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  }

  async ask<Body>(path: string, body?: unknown): Promise<Body> {
    const response = await this.request(path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return (await response.json()) as Body
  }

  /** Retries after a 503, as a client does. On a busy machine the API refuses requests, because its responses would be late. */
  async submit(job: unknown): Promise<string> {
    for (let tries = 1; ; tries += 1)
      try {
        return (await this.ask<{ job_id: string }>('/jobs', job)).job_id
      } catch (error) {
        if (tries === 60 || !String(error).includes('503')) throw error
        await new Promise(resolve => setTimeout(resolve, 1_000))
      }
  }

  async download(path: string): Promise<ReadableStream> {
    return (await this.request(path)).body!
  }

  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...init.headers, authorization: `Bearer ${key}` }
    const response = await fetch(new URL(path, this.api), { ...init, headers })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response
  }

  /** Waits for the end of a job, and returns its last state. */
  async ended(jobId: string, limitSeconds: number, everyMs = 100): Promise<string> {
    const until = Date.now() + limitSeconds * 1_000
    for (;;) {
      const { status } = await this.ask<{ status: string }>(`/jobs/${jobId}/status`)
      if (/completed|failed|cancelled/.test(status)) return status
      if (Date.now() > until) throw new Error(`the job is ${status} after ${limitSeconds} s`)
      await new Promise(resolve => setTimeout(resolve, everyMs))
    }
  }

  /** The CPU seconds so far and the current memory in MB, for each process. */
  costs(): Array<{ name: string; cpu: number; memoryMb: number }> {
    return this.#running.map(({ name, child }) => ({ name, ...costOf(child.pid!) }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child } of this.#running.toReversed()) {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    }
    process.off('exit', this.#end)
    this.#end()
  }
}

const profiling = (folder: string, name: string): string[] => [
  '--cpu-prof',
  `--cpu-prof-dir=${folder}`,
  `--cpu-prof-name=${name}-${Math.random().toString(36).slice(2, 6)}.cpuprofile`,
]

function costOf(pid: number): { cpu: number; memoryMb: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // Fields start after the process name, which may contain spaces. User and system time are in hundredths of a second.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    cpu: (Number(fields[11]) + Number(fields[12])) / 100,
    memoryMb: Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1_024,
  }
}
