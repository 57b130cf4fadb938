// A worker thread that starts on first use. It can be ended while it hangs; the next use starts another one.
import { extname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

export class LazyThread {
  readonly #file: URL
  readonly #options: WorkerOptions
  #worker: Worker | null = null

  /** `module` is the URL of the caller's module. `name` is the name of the thread's file in the same folder,
   *  without extension. */
  constructor(module: string, name: string, options: WorkerOptions) {
    // The file is TypeScript, or built JavaScript.
    this.#file = new URL(`./${name}${extname(module)}`, module)
    this.#options = options
  }

  started(): Worker {
    if (this.#worker === null) {
      this.#worker = new Worker(this.#file, this.#options)
      // While the thread works, a timer of the caller keeps the process alive. An idle thread must not keep it alive.
      this.#worker.unref()
    }
    return this.#worker
  }

  async end(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    worker?.on('error', () => undefined)
    await worker?.terminate()
  }
}
