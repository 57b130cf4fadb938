// Turns of tasks at hosts that are spaced. Where other processes ask the same hosts, a turn that is not taken in time has lapsed: what
// comes next has been handed out to one of them, and would come close behind.
import type { TimedTask } from '../../model/lane.ts'
import type { TakeTurn } from '../../model/page/page.ts'
import type { Clock } from '../../ports/clock.ts'
import { neverLapses } from '../../ports/permits.ts'
import { LaneSpacing, type Leaving } from './lane-spacing.ts'
import { slackMs } from './turn-times.ts'

/** Told of a task whose request goes out late, and when: its host's next start is to move with it. */
export type OnLate = (task: TimedTask, sentAt: number) => void

export class LaneTurns {
  readonly #clock: Clock
  readonly #spacing: LaneSpacing
  readonly #onLate: OnLate | undefined

  constructor(clock: Clock, onLate?: OnLate) {
    this.#clock = clock
    this.#spacing = new LaneSpacing(clock)
    this.#onLate = onLate
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
      if (at > latest) this.#onLate?.(task, at)
    })
  }
}

/** For one request; disposed of when it went out, or never will. */
export class Turn implements Disposable {
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
    const hasLapsed = this.#clock.now() > this.#goodUntil
    if (hasLapsed) this.#leaving.stayed()
    return hasLapsed
  }

  /** Asked right before the request is written, which is done if it is in time. */
  goesOut(): boolean {
    if (this.lapses()) return false
    this.#leaving.sent()
    this.#wentOut(this.#clock.now())
    return true
  }

  [Symbol.dispose](): void {
    this.#leaving.sent()
  }
}

/** Asks for a turn that was not planned, and answers until when it is good. */
type AskForTurn = (lapsed: number) => Promise<number>

/** The turn of a task at its host: the planned one, and another whenever it is too late for the one before. */
export class TaskTurn implements Disposable {
  readonly #turns: LaneTurns
  readonly #task: TimedTask
  readonly #ask: AskForTurn
  readonly #signal: AbortSignal
  #turn: Turn | null = null
  #count = 0
  #isOver = false

  constructor(turns: LaneTurns, task: TimedTask, ask: AskForTurn, signal: AbortSignal) {
    this.#turns = turns
    this.#task = task
    this.#ask = ask
    this.#signal = signal
  }

  /** Waits until the task may begin. Not everything that fetches looks at its turn when it asks the host, so it is looked at here too. */
  async come(): Promise<void> {
    do this.#turn = await this.#next()
    while (this.#turn.lapses())
  }

  /** The one that has come, and after it lapsed the next. */
  take: TakeTurn = async lapsed => {
    if (lapsed > 0) await this.come()
    return () => this.#turn!.goesOut()
  }

  async #next(): Promise<Turn> {
    const isPlanned = this.#count === 0 && !this.#task.isAgain
    const goodUntil = isPlanned ? this.#turns.plannedUntil(this.#task) : await this.#ask(this.#count)
    this.#count += 1
    const turn = await this.#turns.take(this.#task, goodUntil, this.#signal)
    // Nobody would say any more that it went out, and others wait for that.
    if (this.#isOver) turn[Symbol.dispose]()
    return turn
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.#turn?.[Symbol.dispose]()
  }
}
