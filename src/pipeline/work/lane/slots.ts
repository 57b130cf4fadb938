// The slots of tasks at hosts with a rate. In a cluster, a slot that is not used in time expires. The next slot may belong
// to another process, and a late request could be too close to that process's request.
import type { TimedTask } from '../../../model/lane.ts'
import type { TakeSlot } from '../../../model/page/page.ts'
import type { Clock } from '../../../ports/clock.ts'
import { neverLapses } from '../../../ports/permits.ts'
import { slackMs } from './slot-times.ts'
import { LaneSpacing, type Leaving } from './spacing.ts'

/** Called when a task sends its request late, so that the coordinator moves the host's next slot. */
export type OnLate = (task: TimedTask, sentAt: number) => void

export class LaneSlots {
  readonly #clock: Clock
  readonly #spacing: LaneSpacing
  readonly #onLate: OnLate | undefined

  constructor(clock: Clock, onLate?: OnLate) {
    this.#clock = clock
    this.#spacing = new LaneSpacing(clock)
    this.#onLate = onLate
  }

  /** Until when a task may use the slot that the coordinator planned for it. */
  plannedUntil({ startAt, goodForMs }: TimedTask): number {
    return goodForMs === undefined ? neverLapses : startAt + goodForMs
  }

  /** Waits until this lane may send the request without coming too close to its own last request to the host. */
  async take(task: TimedTask, goodUntil: number, signal: AbortSignal): Promise<Slot> {
    const leaving = await this.#spacing.slot(task, signal)
    // A slot that the lane requested is reserved at the host until it expires. So a request in it is never reported as
    // late.
    const latest = goodUntil === this.plannedUntil(task) ? task.startAt + slackMs(task.gapMs) : goodUntil
    return new Slot(this.#clock, goodUntil, leaving, at => {
      if (at > latest) this.#onLate?.(task, at)
    })
  }
}

/** The slot of one request. Dispose it when the request was sent, or will not be sent. */
class Slot implements Disposable {
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

  /** Whether the slot has expired. Then the request must not be sent. */
  lapses(): boolean {
    const hasLapsed = this.#clock.now() > this.#goodUntil
    if (hasLapsed) this.#leaving.stayed()
    return hasLapsed
  }

  /** Called right before the request is written to the connection. Returns whether the request may be sent. */
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

/** Requests a new slot from the coordinator. Resolves with the time when the slot expires. */
type AskForSlot = (lapsed: number) => Promise<number>

/** The slots of a task: first the planned slot, then a new one whenever the last has expired. */
export class TaskSlot implements Disposable {
  readonly #slots: LaneSlots
  readonly #task: TimedTask
  readonly #ask: AskForSlot
  readonly #signal: AbortSignal
  #slot: Slot | null = null
  #count = 0
  #isOver = false

  constructor(slots: LaneSlots, task: TimedTask, ask: AskForSlot, signal: AbortSignal) {
    this.#slots = slots
    this.#task = task
    this.#ask = ask
    this.#signal = signal
  }

  /** Waits until the task may start, and requests new slots until it gets a valid slot. This method checks the slot
   *  itself, because not every fetch calls `goesOut`. */
  async come(): Promise<void> {
    do this.#slot = await this.#next()
    while (this.#slot.lapses())
  }

  /** Takes the current slot. If `lapsed` is above 0, that slot has expired, and the next one is taken. */
  take: TakeSlot = async lapsed => {
    if (lapsed > 0) await this.come()
    return () => this.#slot!.goesOut()
  }

  async #next(): Promise<Slot> {
    const isPlanned = this.#count === 0 && !this.#task.isAgain
    const goodUntil = isPlanned ? this.#slots.plannedUntil(this.#task) : await this.#ask(this.#count)
    this.#count += 1
    const slot = await this.#slots.take(this.#task, goodUntil, this.#signal)
    // The task has ended and will send no request. Dispose the slot, because other tasks wait for it.
    if (this.#isOver) slot[Symbol.dispose]()
    return slot
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.#slot?.[Symbol.dispose]()
  }
}
