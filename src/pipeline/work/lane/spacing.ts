// Spacing in a lane: requests to a host with a rate are sent one after another. The delay counts from the moment a request is sent,
// so that neither a blocked thread nor a slow connection shortens it.
import { RecentMap } from '../../../lib/collections/recent-map.ts'
import type { TimedTask } from '../../../model/lane.ts'
import type { Clock } from '../../../ports/clock.ts'

interface Spaced {
  /** When the last request to the host was sent. */
  sentAt: number
  /** Set while a request is permitted but not sent yet. Resolves when the request was sent or will not be sent. */
  leaving: PromiseWithResolvers<void> | null
}

/** A request that may be sent now. The caller calls one of the methods; only the first call counts. */
export interface Leaving {
  /** Call this when the request is sent or has failed. The delay of the next request counts from now. */
  sent(): void
  /** Call this if the request is not sent. Then the next request needs no delay. */
  stayed(): void
}

/** Maximum number of remembered hosts. The last requests to evicted hosts are so old that no delay is needed. */
const rememberedHosts = 50_000

export class LaneSpacing {
  readonly #clock: Clock
  readonly #hosts = new RecentMap<string, Spaced>(rememberedHosts)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Waits until the task may send its request. */
  async slot({ host, startAt, gapMs }: TimedTask, signal: AbortSignal): Promise<Leaving> {
    for (;;) {
      const spaced = this.#hosts.get(host) ?? { sentAt: Number.NEGATIVE_INFINITY, leaving: null }
      const now = this.#clock.now()
      const due = Math.max(startAt, spaced.sentAt + gapMs)
      if (spaced.leaving) await spaced.leaving.promise
      else if (now < due) await this.#clock.sleep(due - now, signal)
      else return this.#startSending(host, spaced.sentAt)
      signal.throwIfAborted()
    }
  }

  #startSending(host: string, before: number): Leaving {
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
