// Runs the real program as a child process, on a data directory of its own.
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

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
  /** What was said so far. */
  stderr: () => string
  stdout: () => string
}

/** A folder that is gone after the test, and the program run in it. */
export class Workplace implements AsyncDisposable {
  readonly path: string
  readonly #running = new Map<ChildProcess, Promise<unknown>>()

  private constructor(path: string) {
    this.path = path
  }

  static async open(): Promise<Workplace> {
    return new Workplace(await mkdtemp(join(tmpdir(), 'kscrape-test-')))
  }

  file(name: string): string {
    return join(this.path, name)
  }

  start(args: string[], options: RunOptions = {}): Running {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
      cwd: options.cwd ?? this.path,
      // A machine that is busy with other tests is no reason for a service to turn a request away.
      env: {
        PATH: process.env.PATH,
        HOME: this.path,
        SCRAPER_BUSY_LAG: '0s',
        SCRAPER_TRUST: 'on',
        ...options.env,
      },
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
    return this.start(args, options).ended
  }

  /** Runs commands that end by themselves in one process. Loading the program takes most of the time of a short command. */
  async runMany(lists: string[][]): Promise<Ended[]> {
    const child = fork(join(import.meta.dirname, 'run-many.ts'), {
      cwd: this.path,
      env: { PATH: process.env.PATH, HOME: this.path },
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    this.#running.set(child, new Promise(resolve => child.once('exit', resolve)))
    const died = once(child, 'exit').then(([code]) =>
      Promise.reject(new Error(`run-many ended with ${code}`)),
    )
    died.catch(() => {})
    child.send(lists)
    const [ended] = (await Promise.race([once(child, 'message'), died])) as [Ended[]]
    this.#running.delete(child)
    return ended
  }

  /** Parsed lines of a JSONL file in the folder. */
  async records(name: string): Promise<Array<Record<string, unknown> & { _page: Record<string, unknown> }>> {
    const text = await readFile(this.file(name), 'utf8')
    return text
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
  }

  /** The store as a database, to check what the program left behind. */
  database(): DatabaseSync {
    return new DatabaseSync(this.file('.kscrape/store.sqlite'), { readOnly: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#running.keys()) child.kill('SIGKILL')
    // Whoever dies may still write for a moment.
    await Promise.all(this.#running.values())
    await rm(this.path, { recursive: true, force: true })
  }
}
