// The rate of each job: tasks that ended in the last minute.
import type { Events } from '../../../model/events.ts'
import { hasEnded } from '../../../model/job.ts'
import type { ServerParts } from '../../parts.ts'

const windowSeconds = 60

/** The number of ended tasks in each second of the last minute. */
class Minute {
  readonly #counts = new Uint32Array(windowSeconds)
  readonly #began: number
  #second: number

  constructor(second: number) {
    this.#began = second
    this.#second = second
  }

  add(second: number): void {
    this.#moveTo(second)
    this.#counts[second % windowSeconds]! += 1
  }

  perSecond(second: number): number {
    this.#moveTo(second)
    const seconds = Math.min(windowSeconds, second - this.#began + 1)
    return this.#counts.reduce((sum, count) => sum + count, 0) / seconds
  }

  #moveTo(second: number): void {
    const from = Math.max(this.#second + 1, second - windowSeconds + 1)
    for (let each = from; each <= second; each += 1) this.#counts[each % windowSeconds] = 0
    this.#second = Math.max(this.#second, second)
  }
}

export class RecentRates {
  readonly #minutes = new Map<string, Minute>()
  readonly #now: () => number

  constructor({ engine, clock }: Pick<ServerParts, 'engine' | 'clock'>) {
    this.#now = () => Math.floor(clock.now() / 1_000)
    engine.listen((name, event) => {
      if (name === 'task.settled') this.#count(event as Events['task.settled'])
      const moved = event as Events['job.moved']
      if (name === 'job.moved' && hasEnded(moved.to)) this.#minutes.delete(moved.jobId)
    })
  }

  #count({ jobId, state }: Events['task.settled']): void {
    if (state === 'pending') return
    const now = this.#now()
    const minute = this.#minutes.get(jobId) ?? new Minute(now)
    this.#minutes.set(jobId, minute)
    minute.add(now)
  }

  /** Tasks per second of a job. */
  of(jobId: string): number {
    return this.#minutes.get(jobId)?.perSecond(this.#now()) ?? 0
  }
}
