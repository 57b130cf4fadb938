// Turns of tasks at hosts that are spaced. Where other processes ask the same hosts, a turn that is not taken in time has lapsed: what
// comes next has been handed out to one of them, and would come close behind.
import { Failure } from '../model/failures.ts'
import type { TimedTask } from '../model/lane.ts'
import type { Clock } from '../ports/clock.ts'
import { neverLapses } from '../ports/permits.ts'
import { LaneSpacing, type Leaving } from './lane-spacing.ts'
import { slackMs } from './turn-times.ts'

/** Told of a task whose request goes out late, and when: its host's next start is to move with it. */
export type TellLate = (task: TimedTask, sentAt: number) => void

export class LaneTurns {
  readonly #clock: Clock
  readonly #spacing: LaneSpacing
  readonly #tellLate: TellLate | undefined

  constructor(clock: Clock, tellLate?: TellLate) {
    this.#clock = clock
    this.#spacing = new LaneSpacing(clock)
    this.#tellLate = tellLate
  }

  /** Until when a task may go out by the start that it came with. */
  plannedUntil({ startAt, goodForMs }: TimedTask): number {
    return goodForMs === undefined ? neverLapses : startAt + goodForMs
  }

  /** Waits until no request of this lane is in the way. */
  async take(task: TimedTask, goodUntil: number, signal: AbortSignal): Promise<Turn> {
    const leaving = await this.#spacing.turn(task, signal)
    // For a turn that was asked for, the host is booked up to its end: nothing has to move.
    const latest = goodUntil === this.plannedUntil(task) ? task.startAt + slackMs(task.gapMs) : goodUntil
    return new Turn(this.#clock, goodUntil, leaving, at => {
      if (at > latest) this.#tellLate?.(task, at)
    })
  }
}

/** For one request; disposed of when it went out, or never will. */
export class Turn implements Disposable {
  hasLapsed = false
  readonly #clock: Clock
  readonly #goodUntil: number
  readonly #leaving: Leaving
  readonly #wentOut: (at: number) => void

  constructor(clock: Clock, goodUntil: number, leaving: Leaving, wentOut: (at: number) => void) {
    this.#clock = clock
    this.#goodUntil = goodUntil
    this.#leaving = leaving
    this.#wentOut = wentOut
  }

  /** Whether it is too late to go out; then the host was not asked. */
  lapses(): boolean {
    this.hasLapsed = this.#clock.now() > this.#goodUntil
    if (this.hasLapsed) this.#leaving.stayed()
    return this.hasLapsed
  }

  /** Called right before the request is written. Throws when it is too late for that: the connection is there then, and stays. */
  goOut = (): void => {
    if (this.lapses()) throw new Failure('host.not-now', 'the turn at the host has passed')
    this.#leaving.sent()
    this.#wentOut(this.#clock.now())
  };

  [Symbol.dispose](): void {
    this.#leaving.sent()
  }
}
