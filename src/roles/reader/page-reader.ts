// Controls the reader process. It starts with the first page, ends when idle, and is killed if a page takes too long.
import { type ChildProcess, spawn } from 'node:child_process'
import { extname } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Failure } from '../../model/failures.ts'
import type { LaneJob } from '../../model/lane.ts'
import type { Page } from '../../model/page/page.ts'
import type { LeasedTask } from '../../model/task.ts'
import type { PageReader, Reading } from '../../pipeline/work/reading.ts'
import { cpuMsOf } from './cpu-time.ts'
import { readFrames, writeFrame } from './frames.ts'
import type { FromReader, ReaderStart, ReaderWork, WorkKind } from './messages.ts'
import { callerPriority, lowerPriority, lowPriority } from './priority.ts'

/** The file of the reader process beside this one: TypeScript in a checkout, JavaScript in the package. */
const processFile = fileURLToPath(new URL(`./reader-process${extname(import.meta.url)}`, import.meta.url))

interface ReaderLimits {
  heapMb: number
  /** Limit of the CPU time of a page. Where CPU time cannot be measured, this limits the elapsed time. */
  timeoutMs: number
  /** Limit of the elapsed time of a page. It is much higher than `timeoutMs`, because a busy machine gives a page little
   *  CPU time. */
  longestMs: number
  idleMs: number
  /** True if a caller waits for the page. The process then has more CPU time on a busy machine. */
  isAwaited: boolean
}

/** Default limits. A harmless page of 20 MB takes about 300 MB of memory and a few seconds. */
const usual: ReaderLimits = {
  ...{ heapMb: 512, timeoutMs: 60_000, longestMs: 600_000 },
  ...{ idleMs: 30_000, isAwaited: false },
}
/** How often the CPU time is compared with the limit. */
const checkEveryMs = 250

/** After this many crashes of the process, the page fails. */
const mostDeaths = 2

/** Parses one page at a time, so that the page that caused a crash is known. */
export class ReaderProcess implements PageReader, AsyncDisposable {
  readonly #start: ReaderStart
  readonly #limits: ReaderLimits
  #child: ChildProcess | null = null
  #answered: ((answer: FromReader) => void) | null = null
  #last: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | null = null

  constructor({ scraperFiles }: ReaderStart, limits: Partial<ReaderLimits> = {}) {
    this.#start = { scraperFiles }
    this.#limits = { ...usual, ...limits }
  }

  /** Sends the job without cookies and without state that threads share, because parsing needs neither. */
  read(job: LaneJob, task: LeasedTask, page: Page): Promise<Reading> {
    const { llmLedger, sessionCookies, ...rest } = job
    return this.ask('read', { job: { ...rest, cookies: null }, task, page })
  }

  probe(page: Page): Promise<null> {
    return this.ask('probe', { page })
  }

  ask<Kind extends WorkKind>(
    kind: Kind,
    asked: ReaderWork[Kind]['asked'],
  ): Promise<ReaderWork[Kind]['answer']> {
    const sent = { ...asked, page: plainPage(asked.page) }
    const answer = this.#last.then(() => this.#askOften(kind, sent))
    this.#last = answer.catch(() => undefined)
    return answer as Promise<ReaderWork[Kind]['answer']>
  }

  async #askOften(kind: WorkKind, asked: ReaderWork[WorkKind]['asked']): Promise<unknown> {
    for (let deaths = 0; deaths < mostDeaths; deaths++) {
      const answer = await this.#askOnce(kind, asked)
      if (answer === null) continue
      if ('failure' in answer) throw Failure.from(answer.failure)
      return answer.answer
    }
    throw tooCostly(asked.page, `a process with ${this.#limits.heapMb} MB crashed on it ${mostDeaths} times`)
  }

  /** The answer of the process; null if the process died. */
  async #askOnce(kind: WorkKind, asked: ReaderWork[WorkKind]['asked']): Promise<FromReader | null> {
    if (this.#idle) clearTimeout(this.#idle)
    const child = this.#started()
    const { promise, resolve } = Promise.withResolvers<FromReader | null>()
    const died = () => resolve(null)
    this.#answered = resolve
    child.once('exit', died)
    const unwatch = this.#watch(child, why => {
      resolve({ failure: tooCostly(asked.page, why).toJSON() })
      this.#kill()
    })
    writeFrame(child.stdin as Writable, { kind, ...asked })
    const answer = await promise
    unwatch()
    child.off('exit', died)
    this.#idle = setTimeout(() => this.#kill(), this.#limits.idleMs).unref()
    return answer
  }

  /** Calls `onLate` if the process needs more time for a page than the limits allow. Returns a function that ends the watch. */
  #watch({ pid }: ChildProcess, onLate: (why: string) => void): () => void {
    const { timeoutMs, longestMs } = this.#limits
    const [before, startedAt] = [cpuMsNow(pid), performance.now()]
    const timer = setInterval(
      () => {
        const elapsedMs = performance.now() - startedAt
        const cpuMs = before === null ? elapsedMs : (cpuMsNow(pid) ?? 0) - before
        const why = whyTooLate({ cpuMs, elapsedMs }, this.#limits)
        if (why !== null) onLate(why)
      },
      Math.min(checkEveryMs, timeoutMs, longestMs),
    )
    return () => clearInterval(timer)
  }

  #started(): ChildProcess {
    if (this.#child) return this.#child
    const { heapMb } = this.#limits
    const flags = [`--max-old-space-size=${heapMb}`, '--max-semi-space-size=16']
    const priority = this.#priority
    const child = spawn(process.execPath, [...flags, processFile, String(priority)], {
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    })
    this.#child = child
    if (child.pid !== undefined) lowerPriority(child.pid, priority)
    child.once('exit', () => {
      if (this.#child === child) this.#child = null
    })
    child.once('error', () => this.#kill())
    const pipe = child.stdio[3] as Readable
    // Ignores write errors: if the process dies during a write, its exit event reports that.
    for (const end of [child.stdin!, pipe]) end.on('error', () => {})
    readFrames(pipe, answer => this.#answered?.(answer as FromReader))
    child.unref()
    for (const end of [child.stdin!, pipe]) (end as unknown as { unref(): void }).unref()
    writeFrame(child.stdin!, this.#start)
    return child
  }

  /** A reader for which no caller waits has a low priority, so that ordinary pages come first. If CPU time cannot be
   *  measured, the limits apply to elapsed time. Then the priority is not lowered, because on a busy machine a harmless
   *  page would exceed the limits. */
  get #priority(): number {
    const isLow = !this.#limits.isAwaited && cpuMsOf(process.pid) !== null
    return isLow ? lowPriority : callerPriority
  }

  #kill(): void {
    const child = this.#child
    this.#child = null
    child?.kill('SIGKILL')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#idle) clearTimeout(this.#idle)
    this.#kill()
  }
}

/** Why the page must be aborted; null while it is within both limits. */
export function whyTooLate(
  { cpuMs, elapsedMs }: { cpuMs: number; elapsedMs: number },
  { timeoutMs, longestMs }: Pick<ReaderLimits, 'timeoutMs' | 'longestMs'>,
): string | null {
  if (cpuMs >= timeoutMs) return `it takes longer than ${timeoutMs} ms`
  return elapsedMs >= longestMs ? `it was not parsed within ${longestMs} ms` : null
}

const cpuMsNow = (pid: number | undefined): number | null => (pid === undefined ? null : cpuMsOf(pid))

/** Removes the open browser tab, which cannot be sent to another process, and screenshots, which parsing does not need. */
function plainPage(page: Page): Page {
  if (!page.rendered) return page
  const { live, ...rendered } = page.rendered
  return { ...page, rendered: { ...rendered, artifacts: [] } }
}

const tooCostly = ({ finalUrl, body }: Page, why: string): Failure =>
  new Failure(
    'page.too-costly',
    `${finalUrl} (${body.length} bytes) costs too much to parse: ${why}; it is not tried again`,
    { bytes: body.length },
  )
