// The shards that this process leads, and its fair share of all shards.
import type { WorkCounts } from '../../dispatch/wait-summary.ts'
import { systemClock } from '../../lib/clocks.ts'
import type { HostCounts } from '../../model/host.ts'
import type { ProxyState } from '../../model/policy/proxy.ts'
import { noWork, plus, type RunnableWork } from '../../pipeline/coordinate/runnable-work.ts'
import type { StoredTasks } from '../../ports/backlog.ts'
import type { Clock } from '../../ports/clock.ts'
import type { StreamContents } from '../../ports/stream-contents.ts'
import { coordinates } from './presence.ts'

const lookEveryMs = 2_000
/** A coordinator leads a new shard for at least this time, because heartbeats of other coordinators arrive with a
 *  delay. */
const settledMs = 5_000
/** How long another leader's report about runnable tasks is valid. Leaders report more often than this. */
const heardForMs = 30_000

export interface LedShard extends Disposable {
  /** Aborted when this process leads more than its share and another coordinator should lead this shard. */
  readonly over: AbortSignal
  /** Tasks in flight. */
  held: () => number
  hosts: () => HostCounts | null
  work: () => WorkCounts | null
  proxies: () => Promise<readonly ProxyState[]>
  runnable: (stored: readonly StoredTasks[]) => RunnableWork
}

export class ShardShares {
  readonly #shards: number
  readonly #clock: Clock
  readonly #led = new Map<number, { led: LedShard; since: number; giveUp: AbortController }>()
  readonly #heard = new Map<number, { work: RunnableWork; at: number }>()
  /** Number of live coordinators, including this one. */
  #alive = 1

  constructor(shards: number, clock: Clock = systemClock) {
    this.#shards = shards
    this.#clock = clock
  }

  get count(): number {
    return this.#led.size
  }

  get held(): number {
    return this.#led.values().reduce((sum, { led }) => sum + led.held(), 0)
  }

  get hosts(): HostCounts[] {
    return [...this.#led.values()].flatMap(({ led }) => led.hosts() ?? [])
  }

  get work(): WorkCounts[] {
    return [...this.#led.values()].flatMap(({ led }) => led.work() ?? [])
  }

  async proxies(): Promise<ProxyState[]> {
    return (await Promise.all([...this.#led.values()].map(({ led }) => led.proxies()))).flat()
  }

  /** Runnable tasks of the shards that this process leads. */
  ownRunnable(stored: readonly StoredTasks[]): Array<{ shard: number; work: RunnableWork }> {
    return [...this.#led].map(([shard, { led }]) => ({ shard, work: led.runnable(stored) }))
  }

  /** Stores a report about a shard that another process leads. */
  heardRunnable(shard: number, work: RunnableWork): void {
    this.#heard.set(shard, { work, at: this.#clock.now() })
  }

  /** Runnable tasks of all shards; null if this process leads no shard. */
  runnable(stored: readonly StoredTasks[]): RunnableWork | null {
    if (this.#led.size === 0) return null
    const since = this.#clock.now() - heardForMs
    const others = [...this.#heard].filter(([shard, { at }]) => !this.#led.has(shard) && at > since)
    const parts = [...this.ownRunnable(stored), ...others.map(([, heard]) => heard)]
    return parts.map(({ work }) => work).reduce(plus, noWork)
  }

  get #fair(): number {
    return Math.ceil(this.#shards / this.#alive)
  }

  /** Whether this process leads fewer shards than its fair share. */
  get hasRoom(): boolean {
    return this.#led.size < this.#fair
  }

  lead(index: number): LedShard {
    const giveUp = new AbortController()
    const led: LedShard = {
      over: giveUp.signal,
      held: () => 0,
      hosts: () => null,
      work: () => null,
      proxies: async () => [],
      runnable: () => noWork,
      [Symbol.dispose]: () => void this.#led.delete(index),
    }
    this.#led.set(index, { led, since: this.#clock.now(), giveUp })
    return led
  }

  /** While this process leads more than its share, releases one shard at a time. */
  async keepFair(presence: StreamContents, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#clock.sleep(lookEveryMs, signal).catch(() => {})
      const signs = await presence.workers().catch(() => null)
      if (signs) this.#alive = Math.max(1, signs.filter(coordinates).length)
      if (this.#led.size > this.#fair) this.#giveUpOne()
    }
  }

  #giveUpOne(): void {
    const before = this.#clock.now() - settledMs
    const settled = [...this.#led].filter(([, { since }]) => since < before)
    settled.at(-1)?.[1].giveUp.abort()
  }
}
