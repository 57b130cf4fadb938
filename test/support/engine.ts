// The engine in this process, with its own data directory, for tests that inspect the engine while it runs.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type SettingsInput, settingsSchema } from '../../src/config/settings.ts'
import type { Events } from '../../src/model/events.ts'
import type { Job, JobCounts, JobSpecInput } from '../../src/model/job.ts'
import type { Task } from '../../src/model/task.ts'
import { parseJobSpec, type SubmitOptions } from '../../src/pipeline/submit/submit-job.ts'
import { Engine } from '../../src/roles/engine.ts'
import type { Scraper } from '../../src/scraper/define-scraper.ts'

export interface TestEngineOptions {
  settings?: SettingsInput
  scrapers?: Scraper[]
  /** The number of threads. By default there are none. With `auto`, it follows the load. */
  lanes?: number | 'auto'
  /** The folder that contains `scrapers/`. */
  root?: string
  stdout?: Writable
}

export type Heard = { [Name in keyof Events]: { name: Name; event: Events[Name] } }[keyof Events]

export class TestEngine implements AsyncDisposable {
  readonly engine: Engine
  readonly folder: string
  readonly heard: Heard[] = []
  readonly #stop: AbortController
  #running: Promise<void> = Promise.resolve()

  private constructor(engine: Engine, folder: string, stop: AbortController) {
    this.engine = engine
    this.folder = folder
    this.#stop = stop
    engine.listen((name, event) => void this.heard.push({ name, event } as Heard))
  }

  /** With `folder`, the engine continues with the data of an earlier engine. */
  static async open(options: TestEngineOptions = {}, folder?: string): Promise<TestEngine> {
    const path = folder ?? (await mkdtemp(join(tmpdir(), 'kscrape-engine-')))
    const stop = new AbortController()
    const settings = settingsSchema.parse({ sweepMs: 20, graceMs: 2_000, dataDir: path, ...options.settings })
    const stdout = options.stdout ?? new Writable({ write: (_chunk, _encoding, done) => done() })
    const engine = await Engine.open(
      { settings, root: options.root ?? path, configFile: null },
      {
        command: 'test',
        stop: stop.signal,
        stdout,
        ...(options.lanes !== 'auto' && { lanes: options.lanes ?? 0 }),
        scrapers: options.scrapers ?? [],
      },
    )
    return new TestEngine(engine, path, stop)
  }

  submit(spec: JobSpecInput, options: SubmitOptions = {}): Promise<Job> {
    return this.engine.submit(parseJobSpec(spec), options)
  }

  /** Submits a job, runs it to the end, and returns its state. */
  async run(spec: JobSpecInput, options: SubmitOptions = {}): Promise<{ job: Job; counts: JobCounts }> {
    const { id } = await this.submit(spec, options)
    await this.start()
    return this.engine.progress(id)
  }

  /** Runs the submitted jobs. `close` waits for them. */
  start(): Promise<void> {
    this.#running = this.engine.run()
    return this.#running
  }

  stop(): void {
    this.#stop.abort()
  }

  tasks(jobId: string): Promise<Task[]> {
    return this.engine.data.store.tasks.list(jobId)
  }

  notices(): string[] {
    return this.heard.flatMap(one => (one.name === 'notice.given' ? [one.event.message] : []))
  }

  /** Closes the engine and keeps its data for the next one. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running.catch(() => {})
    await this.engine[Symbol.asyncDispose]()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}
