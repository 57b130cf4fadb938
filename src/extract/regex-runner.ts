// Controls the regex thread. It starts on first use, and is replaced when a pattern hangs.
import { LazyThread } from './lazy-thread.ts'
import {
  clockMark,
  maxInputLength,
  type RegexAnswer,
  type RegexJob,
  type RegexProgress,
  type RegexRunner,
} from './regex-jobs.ts'

export type { RegexJob, RegexRunner } from './regex-jobs.ts'

export function openRegexRunner(options: { timeoutMs?: number } = {}): RegexRunner {
  return new ThreadRunner(options.timeoutMs ?? 250)
}

class ThreadRunner implements RegexRunner {
  readonly #timeoutMs: number
  readonly #thread = new LazyThread(import.meta.url, 'regex-worker', {
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  })
  /** Batches run one after another, because there is only one thread. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  run(jobs: RegexJob[]): Promise<RegexAnswer[]> {
    const answers = this.#last.then(() => this.#runAll(jobs))
    this.#last = answers.catch(() => undefined)
    return answers
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#last
    await this.#thread.end()
  }

  /** Repeats rounds until every job has an answer. A round completes all jobs, or ends at a hanging pattern, which is
   *  then excluded. */
  async #runAll(jobs: RegexJob[]): Promise<RegexAnswer[]> {
    const answers: Array<RegexAnswer | undefined> = jobs.map(refuseLong)
    for (;;) {
      const open = jobs.keys().filter(index => answers[index] === undefined)
      const indexes = [...open]
      if (indexes.length === 0) return answers as RegexAnswer[]
      const stopped = await this.#runRound(jobs, indexes, answers)
      if (stopped !== null) giveUp(jobs, answers, stopped)
    }
  }

  /** Runs one round. Resolves with null if all jobs got an answer, otherwise with the job that hung or failed. */
  #runRound(
    jobs: RegexJob[],
    indexes: number[],
    answers: Array<RegexAnswer | undefined>,
  ): Promise<Stopped | null> {
    const worker = this.#thread.started()
    const progress: RegexProgress = new Int32Array(new SharedArrayBuffer(8))
    let done = 0
    return new Promise(resolve => {
      const finish = (why: string | null): void => {
        clearTimeout(timer)
        worker.off('message', keep).off('error', fail)
        if (why === null) resolve(null)
        else this.#thread.end().then(() => resolve({ index: indexes[jobOn(progress)]!, why }))
      }
      const keep = (found: string[]): void => {
        answers[indexes[done]!] = { found }
        done++
        if (done === indexes.length) finish(null)
      }
      const fail = (error: Error): void => finish(`regex failed: ${error.message}`)
      const watch = (): void => {
        const leftMs = timeLeft(progress, this.#timeoutMs)
        if (leftMs > 0) timer = setTimeout(watch, leftMs)
        else finish('regex timed out')
      }
      let timer = setTimeout(watch, this.#timeoutMs)
      worker.on('message', keep).on('error', fail)
      worker.postMessage({ jobs: indexes.map(index => jobs[index]), progress })
    })
  }
}

interface Stopped {
  index: number
  why: string
}

function refuseLong({ text }: RegexJob): RegexAnswer | undefined {
  if (text.length <= maxInputLength) return undefined
  return { why: `text longer than ${maxInputLength} characters` }
}

/** Excludes a pattern for the rest of the batch: if it hung once, it would hang on the next row too. So each pattern
 *  costs at most one timeout per page. */
function giveUp(jobs: RegexJob[], answers: Array<RegexAnswer | undefined>, { index, why }: Stopped): void {
  const { pattern } = jobs[index]!
  for (const [other, job] of jobs.entries()) {
    if (job.pattern === pattern) answers[other] ??= { why }
  }
}

/** Index of the job that the thread runs. The number of received answers would be too low, because answers may still be
 *  in transit. */
const jobOn = (progress: RegexProgress): number => Math.max(0, Atomics.load(progress, 0) - 1)

/** Time until the timeout of the current job. The thread records the start time, so the start of the thread and the
 *  load of this process do not count. */
function timeLeft(progress: RegexProgress, timeoutMs: number): number {
  if (Atomics.load(progress, 0) === 0) return timeoutMs
  const ranMs = clockMark(Date.now() - Atomics.load(progress, 1))
  return timeoutMs - ranMs
}
