// Slots of tasks at hosts with a rate. In a cluster, a slot that is not used in time expires: the next slot may belong to
// another process, and two requests would come close together.
import type { TimedTask } from '../../model/lane.ts'
import type { TakeTurn } from '../../model/page/page.ts'
import type { Clock } from '../../ports/clock.ts'
import { neverLapses } from '../../ports/permits.ts'
import { LaneSpacing, type Leaving } from './lane-spacing.ts'
import { slackMs } from './turn-times.ts'

/** Called when a task sends its request late, so that the host's next slot moves too. */
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

  /** Until when a task may use the slot that it came with. */
  plannedUntil({ startAt, goodForMs }: TimedTask): number {
    return goodForMs === undefined ? neverLapses : startAt + goodForMs
  }

  /** Waits until no other request of this lane is too close. */
  async take(task: TimedTask, goodUntil: number, signal: AbortSignal): Promise<Turn> {
    const leaving = await this.#spacing.turn(task, signal)
    // The host is booked until the end of a requested slot, so nothing has to move.
    const latest = goodUntil === this.plannedUntil(task) ? task.startAt + slackMs(task.gapMs) : goodUntil
    return new Turn(this.#clock, goodUntil, leaving, at => {
      if (at > latest) this.#onLate?.(task, at)
    })
  }
}

/** For one request. Dispose it when the request was sent, or will never be. */
class Turn implements Disposable {
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

  /** Whether it is too late to send. Then the host saw no request. */
  lapses(): boolean {
    const hasLapsed = this.#clock.now() > this.#goodUntil
    if (hasLapsed) this.#leaving.stayed()
    return hasLapsed
  }

  /** Called right before the request is written. True if it may be sent. */
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

/** Requests a new slot from the coordinator; resolves with its expiry. */
type AskForTurn = (lapsed: number) => Promise<number>

/** The slot of a task: the planned one, and a new one whenever the last has expired. */
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

  /** Waits until the task may start. Checked here because not every fetch checks its slot before the request. */
  async come(): Promise<void> {
    do this.#turn = await this.#next()
    while (this.#turn.lapses())
  }

  /** The current slot; after it expired, the next. */
  take: TakeTurn = async lapsed => {
    if (lapsed > 0) await this.come()
    return () => this.#turn!.goesOut()
  }

  async #next(): Promise<Turn> {
    const isPlanned = this.#count === 0 && !this.#task.isAgain
    const goodUntil = isPlanned ? this.#turns.plannedUntil(this.#task) : await this.#ask(this.#count)
    this.#count += 1
    const turn = await this.#turns.take(this.#task, goodUntil, this.#signal)
    // The task has ended, so nothing would report the request as sent, and others wait for that.
    if (this.#isOver) turn[Symbol.dispose]()
    return turn
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.#turn?.[Symbol.dispose]()
  }
}
