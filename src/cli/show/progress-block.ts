// Prints progress: a redrawn block on a terminal, a line every ten seconds elsewhere. Both include what tasks wait for.
import { formatDuration } from '../../lib/text/units.ts'
import { paceSentence } from '../../model/policy/pace.ts'
import type { Progress } from '../../roles/engine.ts'
import { safe, type Talk } from '../talk.ts'
import { fitted, progressFacts, progressParts, shortened, waitingParts } from './progress-text.ts'

const redrawMs = 200
const lineMs = 10_000
const shortestSampleMs = 1_000
const firstLookMs = 1_000
/** If a job will take longer than this, its expected duration is announced. */
const longMs = 60_000

export interface BlockOptions {
  /** Whether records may appear on the same screen, even through a pipe. Then the block is not redrawn. */
  sharesScreen: boolean
  /** Nothing is shown before this time, because a quick job needs no progress. */
  afterMs: number
}

export class ProgressBlock {
  readonly #talk: Talk
  readonly #stream: NodeJS.WriteStream
  readonly #read: () => Promise<Progress>
  readonly #draws: boolean
  readonly #showFrom: number
  readonly #timer: NodeJS.Timeout
  #drawn: string[] = []
  #sample: { at: number; done: number } | null = null
  #rate = 0
  #busy = false
  #stopped = false
  #hasSaidPace = false
  /** The reason of the last retry. */
  trouble = ''
  /** The URL of the task that ended last. */
  current = ''

  constructor(
    talk: Talk,
    stream: NodeJS.WriteStream,
    read: () => Promise<Progress>,
    options: BlockOptions = { sharesScreen: false, afterMs: 0 },
  ) {
    this.#talk = talk
    this.#stream = stream
    this.#read = read
    this.#draws = talk.isTerminal && !options.sharesScreen
    this.#showFrom = Date.now() + options.afterMs
    this.#timer = setInterval(() => void this.#tick(), this.#draws ? redrawMs : lineMs)
    this.#timer.unref()
    // Without redrawing, the first line appears late. So a long job announces its duration at the start.
    if (!this.#draws) setTimeout(() => void this.#sayPace(), firstLookMs + options.afterMs).unref()
  }

  /** Prints a line above the block. */
  note(line: string): void {
    this.#clear()
    this.#talk.say(safe(line))
  }

  async #tick(): Promise<void> {
    if (this.#busy || this.#talk.quiet || Date.now() < this.#showFrom) return
    this.#busy = true
    try {
      const progress = await this.#read()
      if (!this.#stopped) this.#show(progress)
    } catch {
      // The store may be locked for a moment. The next update shows the progress.
    } finally {
      this.#busy = false
    }
  }

  #show(progress: Progress): void {
    this.#measure(progress)
    this.#announce(progress)
    const lines = this.#lines(progress)
    if (this.#talk.json) this.#talk.tell({ progress: progressFacts(progress, this.#rate) })
    else if (this.#draws) this.#redraw(lines)
    else this.#talk.say(lines.join(' · '))
  }

  async #sayPace(): Promise<void> {
    if (this.#stopped || this.#talk.quiet || this.#talk.json) return
    await this.#read().then(
      progress => this.#announce(progress),
      () => {},
    )
  }

  /** Prints once how long the job will take, and why. */
  #announce({ pace }: Progress): void {
    if (this.#hasSaidPace || this.#stopped || this.#talk.json || !pace || pace.leftMs < longMs) return
    this.#hasSaidPace = true
    this.note(paceSentence(pace, formatDuration))
  }

  #redraw(lines: string[]): void {
    this.#clear()
    this.#stream.write(lines.map(line => `${line}\n`).join(''))
    this.#drawn = lines
  }

  #lines(progress: Progress): string[] {
    const width = this.#draws ? (this.#stream.columns || 80) - 1 : Number.POSITIVE_INFINITY
    const waits = waitingParts(progress, Date.now())
    const [first, ...others] = waits
    const trouble = progress.retries.tasks > 0 && this.trouble ? [safe(this.trouble)] : []
    return [
      ...fitted(progressParts(progress, this.#rate), ' · ', width),
      ...(this.current ? [shortened(safe(this.current), width)] : []),
      ...(first ? fitted([`waiting: ${first}`, ...others, ...trouble], ' · ', width) : []),
    ]
  }

  /** Measures how many tasks succeed or fail per second, over at least a second, and smooths the result slightly. */
  #measure({ counts: { byState } }: Progress): void {
    const done = byState.succeeded + byState.failed
    const now = Date.now()
    const since = this.#sample
    if (since && now - since.at < shortestSampleMs) return
    if (since) {
      const rate = Math.max(0, ((done - since.done) * 1_000) / (now - since.at))
      this.#rate = this.#rate === 0 ? rate : this.#rate * 0.6 + rate * 0.4
    }
    this.#sample = { at: now, done }
  }

  /** Clears the block from the first column, because the terminal may have echoed ^C. Counts the rows again, because lines need
   *  more rows in a narrower window. */
  #clear(): void {
    const columns = this.#stream.columns || 80
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0)
    if (rows > 0) this.#stream.write(`\r\x1b[${rows}A\x1b[0J`)
    this.#drawn = []
  }

  stop(): void {
    this.#stopped = true
    clearInterval(this.#timer)
    this.#clear()
  }
}
