// Runs the real program as a child process, on its own data directory.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { programEnv } from '../support/program-env.ts'
import { WarmProgram } from './warm-program.ts'

const warmProgram = new WarmProgram()
const program = join(import.meta.dirname, '../../src/cli/kscrape.ts')

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  env?: Record<string, string>
  stdin?: string | Buffer
  cwd?: string
}

export interface Running {
  child: ChildProcess
  ended: Promise<Ended>
  /** The output so far. */
  stderr: () => string
  stdout: () => string
}

/** A folder that is deleted after the test, and the program run in it. */
export class Workplace implements AsyncDisposable {
  readonly path: string
  readonly #isWarm: boolean
  readonly #running = new Map<ChildProcess, Promise<unknown>>()

  private constructor(path: string, warm: boolean) {
    this.path = path
    this.#isWarm = warm
  }

  /**
   * `run` without stdin uses a process that has the program loaded, unless it is busy or `warm` is false. `start` always starts a new
   * process, for tests that kill it, send signals or wait for its end.
   */
  static async open({ warm = true } = {}): Promise<Workplace> {
    return new Workplace(await mkdtemp(join(tmpdir(), 'kscrape-test-')), warm)
  }

  file(name: string): string {
    return join(this.path, name)
  }

  start(args: string[], options: RunOptions = {}): Running {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
      ...this.#where(options),
      stdio: 'pipe',
    })
    this.#running.set(child, new Promise(resolve => child.once('exit', resolve)))
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', text => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', text => (stderr += text))
    child.stdin.on('error', () => {})
    child.stdin.end(options.stdin ?? '')
    const ended = new Promise<Ended>(resolve =>
      child.on('close', (code, signal) => {
        this.#running.delete(child)
        resolve({ code, signal, stdout, stderr })
      }),
    )
    return { child, ended, stderr: () => stderr, stdout: () => stdout }
  }

  run(args: string[], options: RunOptions = {}): Promise<Ended> {
    if (this.#isWarm && options.stdin === undefined && !warmProgram.isBusy)
      return warmProgram.run({ args, ...this.#where(options) })
    return this.start(args, options).ended
  }

  #where({ cwd = this.path, env }: RunOptions) {
    // A busy machine must not make the service refuse requests.
    const usual = { SCRAPER_BUSY_LAG: '0s', SCRAPER_TRUST: 'on' }
    return { cwd, env: { ...programEnv(this.path), ...usual, ...env } }
  }

  /** Parsed lines of a JSONL file in the folder. */
  async records(name: string): Promise<Array<Record<string, unknown> & { _page: Record<string, unknown> }>> {
    const text = await readFile(this.file(name), 'utf8')
    return text
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
  }

  /** The store as a database, to check what the program has stored. */
  database(): DatabaseSync {
    return new DatabaseSync(this.file('.kscrape/store.sqlite'), { readOnly: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#running.keys()) child.kill('SIGKILL')
    // A dying process may still write for a moment.
    await Promise.all(this.#running.values())
    await rm(this.path, { recursive: true, force: true })
  }
}
