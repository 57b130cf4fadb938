// Control of one seat. A person can pause its task between two steps, control the page, and resume the task.

/** After this time a paused task resumes by itself. */
const longestPauseMs = 900_000

export class SeatControl {
  readonly #changed: (isPaused: boolean) => void
  /** The step that the task is executing; null if it runs no steps. */
  step: string | null = null
  #resumed: PromiseWithResolvers<void> | null = null
  #timer: NodeJS.Timeout | undefined
  #pausedAt = 0
  #pausedMs = 0

  /** `changed` is called with each pause and each resume. */
  constructor(changed: (isPaused: boolean) => void = () => {}) {
    this.#changed = changed
  }

  get isPaused(): boolean {
    return this.#resumed !== null
  }

  /** Time that the task was paused. It does not count towards the limits of the task. */
  get pausedMs(): number {
    return this.#pausedMs + (this.isPaused ? performance.now() - this.#pausedAt : 0)
  }

  pause(): void {
    if (this.#resumed) return
    this.#resumed = Promise.withResolvers<void>()
    this.#pausedAt = performance.now()
    this.#timer = setTimeout(() => this.resume(), longestPauseMs).unref()
    this.#changed(true)
  }

  resume(): void {
    const resumed = this.#resumed
    if (!resumed) return
    this.#pausedMs += performance.now() - this.#pausedAt
    this.#resumed = null
    clearTimeout(this.#timer)
    this.#changed(false)
    resumed.resolve()
  }

  /** Resolves when the task is not paused. */
  async whenRunning(): Promise<void> {
    await this.#resumed?.promise
  }
}
