// Progress: one block that is redrawn on a terminal, a line every ten seconds elsewhere, and always what it waits for.
import { formatDuration } from '../lib/units.ts'
import type { Progress } from '../roles/engine.ts'
import type { Talk } from './talk.ts'

const redrawMs = 200
const lineMs = 10_000

export class ProgressBlock {
  #talk: Talk
  #stream: NodeJS.WriteStream
  #read: () => Promise<Progress>
  #timer: NodeJS.Timeout
  #drawn = 0
  #last = { at: Date.now(), done: 0 }
  #rate = 0
  #busy = false

  constructor(talk: Talk, stream: NodeJS.WriteStream, read: () => Promise<Progress>) {
    this.#talk = talk
    this.#stream = stream
    this.#read = read
    this.#timer = setInterval(() => void this.#tick(), talk.isTerminal ? redrawMs : lineMs)
    this.#timer.unref()
  }

  /** Says a line above the block. */
  note(line: string): void {
    this.#clear()
    this.#talk.say(line)
  }

  async #tick(): Promise<void> {
    if (this.#busy || this.#talk.quiet) return
    this.#busy = true
    try {
      this.#draw(await this.#read())
    } finally {
      this.#busy = false
    }
  }

  #draw(progress: Progress): void {
    this.#measure(progress)
    if (this.#talk.json)
      return void this.#stream.write(
        `${JSON.stringify({ level: 'info', progress: plainProgress(progress, this.#rate) })}\n`,
      )
    const lines = progressLines(progress, this.#rate, Date.now())
    if (!this.#talk.isTerminal) return this.#talk.say(lines.join(' · '))
    this.#clear()
    const width = this.#stream.columns || 80
    this.#stream.write(lines.map(line => `${line.slice(0, width - 1)}\n`).join(''))
    this.#drawn = lines.length
  }

  #measure({ counts }: Progress): void {
    const done = doneOf(counts)
    const now = Date.now()
    const rate = ((done - this.#last.done) * 1_000) / Math.max(1, now - this.#last.at)
    this.#rate = this.#rate === 0 ? rate : this.#rate * 0.7 + rate * 0.3
    this.#last = { at: now, done }
  }

  #clear(): void {
    if (this.#drawn > 0) this.#stream.write(`\x1b[${this.#drawn}A\x1b[0J`)
    this.#drawn = 0
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#clear()
  }
}

const doneOf = ({ byState }: Progress['counts']): number =>
  byState.succeeded + byState.failed + byState.skipped + byState.cancelled

export function progressLines(progress: Progress, rate: number, now: number): string[] {
  const { counts, job, inFlight } = progress
  const done = doneOf(counts)
  const state = job.state === 'running' ? '' : ` [${job.state}${job.reason ? `: ${job.reason}` : ''}]`
  const lines = [
    `${job.id}${state}  done ${done} / found ${counts.tasks} · ${counts.records} records · ${rate.toFixed(1)} pages/s · ${inFlight} in flight`,
  ]
  const waits = progress.waiting.slice(0, 3).map(wait => waitText(wait, now))
  if (waits.length > 0) lines.push(`waiting: ${waits.join(', ')}`)
  return lines
}

const waitWords: Partial<Record<string, string>> = {
  rate: 'the rate of',
  'in-flight': 'an answer of',
  'crawl-delay': 'the crawl-delay of',
  'retry-after': 'Retry-After of',
  slowdown: 'the slowdown of',
  breaker: 'the breaker of',
  hours: 'the allowed hours of',
  paused: 'the pause of',
  robots: 'robots.txt of',
  'job-rate': 'the job’s own rate at',
  'job-paused': 'the paused job at',
  'job-limit': 'the job’s own limit at',
}

function waitText(
  { reason, hosts, tasks, nextAt, exampleHost }: Progress['waiting'][number],
  now: number,
): string {
  const where = hosts === 1 ? exampleHost : `${hosts} hosts`
  const until =
    nextAt !== null && nextAt - now > 1_500
      ? `, ${formatDuration(Math.round((nextAt - now) / 1_000) * 1_000)} more`
      : ''
  return `${tasks} for ${waitWords[reason] ?? reason} ${where}${until}`
}

const plainProgress = ({ job, counts, inFlight, waiting }: Progress, rate: number) => ({
  job_id: job.id,
  state: job.state,
  reason: job.reason,
  done: doneOf(counts),
  found: counts.tasks,
  records: counts.records,
  pages_per_second: Math.round(rate * 10) / 10,
  in_flight: inFlight,
  waiting: waiting.map(({ reason, hosts, tasks }) => ({ reason, hosts, tasks })),
})
