// Spacing in a lane: the requests of a host that has a rate go out one after the other, so that neither a pause of the thread nor a
// slow connection makes two of them come close.
import { RecentMap } from '../../lib/collections/recent-map.ts'
import type { TimedTask } from '../../model/lane.ts'
import type { Clock } from '../../ports/clock.ts'

interface Spaced {
  /** When the last request went out. */
  sentAt: number
  /** The request that was let go and is not out yet, and what happens when it is. */
  leaving: PromiseWithResolvers<void> | null
}

/** A request that was let go. The first word about it counts. */
export interface Leaving {
  /** It goes out now, or has failed on its way: the distance counts from here. */
  sent(): void
  /** It does not go out now, and nobody was asked. */
  stayed(): void
}

/** Hosts whose last request is remembered; what is older than that is far enough away. */
const rememberedHosts = 50_000

export class LaneSpacing {
  readonly #clock: Clock
  readonly #hosts = new RecentMap<string, Spaced>(rememberedHosts)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Waits for the task's turn. */
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
