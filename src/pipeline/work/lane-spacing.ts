// Spacing in a lane: requests to a host with a rate are sent one after another. Neither a pause of the thread nor a slow
// connection brings two of them close together.
import { RecentMap } from '../../lib/collections/recent-map.ts'
import type { TimedTask } from '../../model/lane.ts'
import type { Clock } from '../../ports/clock.ts'

interface Spaced {
  /** When the last request was sent. */
  sentAt: number
  /** A request that may be sent and is not sent yet; resolved when it is. */
  leaving: PromiseWithResolvers<void> | null
}

/** A request that may be sent. Only the first call counts. */
export interface Leaving {
  /** It is sent now, or has failed: the gap counts from here. */
  sent(): void
  /** It is not sent, so the host saw nothing. */
  stayed(): void
}

/** How many hosts are remembered. Older requests are far enough away. */
const rememberedHosts = 50_000

export class LaneSpacing {
  readonly #clock: Clock
  readonly #hosts = new RecentMap<string, Spaced>(rememberedHosts)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Waits until the task may send its request. */
  async turn({ host, startAt, gapMs }: TimedTask, signal: AbortSignal): Promise<Leaving> {
    for (;;) {
      const spaced = this.#hosts.get(host) ?? { sentAt: Number.NEGATIVE_INFINITY, leaving: null }
      const now = this.#clock.now()
      const due = Math.max(startAt, spaced.sentAt + gapMs)
      if (spaced.leaving) await spaced.leaving.promise
      else if (now < due) await this.#clock.sleep(due - now, signal)
      else return this.#letGo(host, spaced.sentAt)
      signal.throwIfAborted()
    }
  }

  #letGo(host: string, before: number): Leaving {
    const leaving = Promise.withResolvers<void>()
    const spaced: Spaced = { sentAt: this.#clock.now(), leaving }
    this.#hosts.set(host, spaced)
    const end = (sentAt: number) => {
      if (spaced.leaving === null) return
      spaced.sentAt = sentAt
      spaced.leaving = null
      leaving.resolve()
    }
    return { sent: () => end(this.#clock.now()), stayed: () => end(before) }
  }
}
