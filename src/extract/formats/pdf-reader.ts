// Controls the PDF thread. It starts on first use, and is replaced when a file hangs.
import type { Worker } from 'node:worker_threads'
import { LazyThread } from '../lazy-thread.ts'
import type { PdfAnswer, PdfJob } from './pdf-jobs.ts'

interface PdfLimits {
  timeoutMs: number
  maxBytes: number
  maxPages: number
  maxCharacters: number
  /** Memory limit of the whole thread, buffers included. */
  maxMemoryBytes: number
}

/** Interval of the memory checks. A small file can require gigabytes; within one interval it reaches at most a few
 *  hundred megabytes. */
const memoryWatchMs = 50

/** Default limits. A book of a thousand pages takes a few seconds. Files that exceed the limits are probably
 *  hostile. */
const defaults: PdfLimits = {
  timeoutMs: 10_000,
  maxBytes: 50_000_000,
  maxPages: 2_000,
  maxCharacters: 5_000_000,
  maxMemoryBytes: 400_000_000,
}

export class PdfReader implements AsyncDisposable {
  readonly #limits: PdfLimits
  /** The output of the PDF library is captured and discarded. */
  readonly #thread = new LazyThread(import.meta.url, 'pdf-worker', {
    resourceLimits: { maxOldGenerationSizeMb: 256 },
    stdout: true,
    stderr: true,
  })
  /** Files are read one at a time, because there is one thread with one memory limit. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(limits: Partial<PdfLimits> = {}) {
    this.#limits = { ...defaults, ...limits }
  }

  read(bytes: Uint8Array): Promise<PdfAnswer> {
    const { maxBytes } = this.#limits
    if (bytes.length > maxBytes) return Promise.resolve({ why: `larger than ${maxBytes} bytes` })
    const answer = this.#last.then(() => this.#ask(bytes))
    this.#last = answer
    return answer
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last
    await this.#thread.end()
  }

  async #ask(bytes: Uint8Array): Promise<PdfAnswer> {
    const worker = this.#thread.started()
    const { promise, resolve } = Promise.withResolvers<PdfAnswer | { stopped: string }>()
    const { timeoutMs, maxPages, maxCharacters, maxMemoryBytes } = this.#limits
    const watch = watchMemory(worker, maxMemoryBytes, () =>
      resolve({ stopped: `it takes more than ${maxMemoryBytes} bytes of memory` }),
    )
    const timer = setTimeout(() => resolve({ stopped: `not read within ${timeoutMs} ms` }), timeoutMs)
    const fail = (error: Error): void => resolve({ stopped: error.message })
    worker.on('message', resolve).on('error', fail)
    // Copy the bytes: the thread takes ownership of them, and the page still needs its own.
    const own = Uint8Array.from(bytes)
    const job: PdfJob = { bytes: own, maxPages, maxCharacters }
    worker.postMessage(job, [own.buffer])
    const answer = await promise
    clearTimeout(timer)
    clearInterval(watch)
    worker.off('message', resolve).off('error', fail)
    if (!('stopped' in answer)) return answer
    await this.#thread.end()
    return { why: answer.stopped }
  }
}

/** Checks the memory of the thread at intervals. Node's own limits for worker threads cover objects but not
 *  buffers, and decompressed data is in buffers. */
function watchMemory(worker: Worker, maxBytes: number, stop: () => void): NodeJS.Timeout {
  return setInterval(async () => {
    const memory = await worker.getHeapStatistics().catch(() => null)
    if (memory && memory.external_memory + memory.used_heap_size > maxBytes) stop()
  }, memoryWatchMs)
}
